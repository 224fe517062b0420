import { readBooks } from "@uag/harness/audit/billed";
import { type Explained, explainBills } from "@uag/harness/audit/explained";
import { setFault } from "@uag/harness/fleet/faults";
import { topUp } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import type { SoakOptions } from "../soak.ts";
import { requestOf } from "./requests.ts";

export interface HostileFigures extends Explained {
  /** Requests by what their client received: `completed`, `broken`, or a status and a code. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Violations within the ledger itself. */
  readonly violations: readonly string[];
}

const concurrency = 12;
const progressMs = 10_000;
/** A task whose provider lost it ends within that time. */
const settleMs = 180_000;

interface HostileOptions extends Omit<SoakOptions, "killEveryMs"> {
  /** Requests to send at least, however long they take; default: none. */
  readonly minRequests?: number;
}

/** A load of all capabilities against hostile providers; then every bill is checked. */
export async function soakHostile(options: HostileOptions): Promise<HostileFigures> {
  const { minutes, seed, dataDir, report, minRequests = 0 } = options;
  await using fleet = await startTestFleet({
    dataDir,
    services: ["billing", "metering", "chat", "embedding", "media", "speech", "video", "router"],
    env: { LOG_LEVEL: "warn", POLL_SCALE: "0.05", TASK_AGE_LIMIT_MS: "60000" },
  });
  await topUp(fleet, 1_000_000_000_000_000n, "hostile soak");
  await setFault(fleet.run.simulator_url, { hostile: seed });
  const outcomes = new Map<string, number>();
  const until = performance.now() + minutes * 60_000;
  let sent = 0;
  const work = async (worker: number): Promise<void> => {
    const random = seededRandom(seed * 1_000 + worker);
    while (performance.now() < until || sent < minRequests) {
      sent++;
      const outcome = await send(fleet, random);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  const progress = setInterval(() => report(listed(outcomes)), progressMs);
  await Promise.all(Array.from({ length: concurrency }, (_, worker) => work(worker)));
  clearInterval(progress);
  const explained = await explainBills(fleet.run, settleMs);
  const { violations } = await readBooks(fleet.run);
  return { ...explained, outcomes, violations };
}

async function send({ client }: TestFleet, random: () => number): Promise<string> {
  const { path, body } = requestOf(random);
  try {
    const { status, text } = await client.post(path, body);
    return status < 300 ? "completed" : `${status} ${codeIn(text)}`;
  } catch (error) {
    // The gateway cuts a stream that its provider broke.
    if (!(error instanceof TypeError)) throw error;
    return "broken";
  }
}

function codeIn(text: string): string {
  const { error, code } = JSON.parse(text) as { error?: { code?: string; type?: string }; code?: string };
  return error?.code ?? error?.type ?? code ?? "";
}

const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

/** Whether each request has a bill, its rule explains each, and the ledger adds up. */
export const isExplained = ({ unexplained, unbilled, violations }: HostileFigures): boolean =>
  unexplained.length + unbilled.length + violations.length === 0;

const maxShown = 20;

/** For people. */
export function showHostile({ outcomes, byRule, unexplained, unbilled, violations }: HostileFigures): string {
  const faults = [...unexplained, ...unbilled.map((id) => `${id} has no bill.`), ...violations];
  const lines = [
    `hostile: ${listed(outcomes)}`,
    `bills: ${listed(byRule)}`,
    `unexplained ${unexplained.length}, unbilled ${unbilled.length}, violations ${violations.length}`,
    ...faults.slice(0, maxShown).map((sentence) => `- ${sentence}`),
  ];
  return `${lines.join("\n  ")}\n`;
}
