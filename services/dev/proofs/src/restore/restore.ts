import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { audit } from "@uag/harness/audit/audit";
import { type Billed, type Books, readBooks } from "@uag/harness/audit/billed";
import { readServed } from "@uag/harness/audit/served";
import { topUp } from "@uag/harness/fleet/limited-key";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { collectFigures, type Figures } from "../soak/figures.ts";
import { Load, type LoadResponse } from "../soak/load.ts";
import type { Proof, ProofOptions } from "../soak/proof.ts";
import { backUp, killAll, putBack, startAll, stopAll, within } from "./disaster.ts";

const concurrency = 8;
const someResponses = 3 * concurrency;
const stepMs = 120_000;
const waitMs = 60_000;
/** A top-up after the backup, which the restored database must not have. */
const paidNanoUsd = 1_000_000_000n;

const isCompleted = ({ outcome }: LoadResponse): boolean => outcome === "completed";
const idsOf = (all: Iterable<{ readonly requestId: string }>): Set<string> =>
  new Set(Array.from(all, ({ requestId }) => requestId));
const toppedUp = ({ accounts }: Books): bigint =>
  accounts.reduce((sum, { toppedUpNanoUsd }) => sum + toppedUpNanoUsd, 0n);

/** The books at the time of the backup, and the responses that clients received afterwards. */
interface Past {
  readonly books: Books;
  readonly before: readonly LoadResponse[];
  readonly after: readonly LoadResponse[];
  readonly kills: number;
}

/** The database's loss. */
interface Disaster {
  /** Folders of the disks lost with it. */
  readonly lost: readonly string[];
  /** Ends every process; returns how many. */
  end(fleet: TestFleet): Promise<number>;
}

/** Runs load, a backup during it, more load, and the loss of the database. */
async function loseDatabase({ fleet, seconds, random }: ProofOptions, { lost, end }: Disaster): Promise<Past> {
  const backup = join(fleet.dataDir, "backup");
  const begin = (): Load => new Load({ clients: [fleet.client], kinds: ["json", "stream"], concurrency, random });
  const first = begin();
  await waitFor(() => first.completed >= someResponses, { timeoutMs: stepMs, what: "responses before the backup" });
  // Without journals only what all of the backup's databases have is known, so the load ends first.
  if (lost.length > 0) {
    await within(stepMs, "the first load to end", first.stop());
    await collectFigures(fleet, { responses: first.responses, waitMs });
  }
  const books = await within(stepMs, "the books before the backup", readBooks(fleet.run));
  await within(stepMs, "the backup", backUp(fleet, backup));
  await topUp(fleet, paidNanoUsd, "after-the-backup");
  const second = begin();
  await waitFor(() => second.completed >= someResponses, { timeoutMs: stepMs, what: "responses after the backup" });
  await sleep(seconds * 1_000);
  const kills = await within(stepMs, "the end of every process", end(fleet));
  await within(stepMs, "the loads to end", Promise.all([first.stop(), second.stop()]));
  await putBack(fleet, backup, lost);
  return { books, before: first.responses, after: second.responses, kills };
}

/** Requests served after the backup that only the simulator and the clients know of. */
async function unknownTo(fleet: TestFleet, { books }: Past): Promise<Set<string>> {
  const { attempts } = await within(stepMs, "the simulator's log", readServed(fleet.run.simulator_url));
  const billed = idsOf(books.billed);
  return new Set(
    attempts.flatMap(({ requestId = "" }) => (requestId === "" || billed.has(requestId) ? [] : [requestId])),
  );
}

/** A bill from before the backup must exist once, unchanged. */
function changed(before: readonly Billed[], now: readonly Billed[]): string[] {
  const bills = Map.groupBy(now, ({ requestId }) => requestId);
  return before.flatMap(({ requestId, costNanoUsd }) => {
    const [bill, ...more] = bills.get(requestId) ?? [];
    const same = bill?.costNanoUsd === costNanoUsd && more.length === 0;
    return same ? [] : [`${requestId} was billed ${costNanoUsd} nano-USD before the backup but is not now.`];
  });
}

/** The costs of lost bills according to the clients' receipts; a stream's head has no cost. */
function receipts(responses: readonly LoadResponse[]): string {
  const costs = responses.flatMap(({ headers }) => headers?.get("x-gateway-cost-usd") ?? []);
  const usd = costs.reduce((sum, cost) => sum + Number(cost), 0);
  return `${responses.length} bills of received responses were lost: ${costs.length} with a known cost, in total $${usd.toFixed(9)}, and ${responses.length - costs.length} streams with an unknown cost`;
}

async function restore(options: ProofOptions, disaster: Disaster): Promise<Figures> {
  const { fleet, random } = options;
  const { lost } = disaster;
  const past = await loseDatabase(options, disaster);
  const unknown = lost.length > 0 ? await unknownTo(fleet, past) : new Set<string>();
  await within(2 * stepMs, "every process to start on the backup", startAll(fleet));
  const load = new Load({ clients: [fleet.client], kinds: ["json", "stream"], concurrency, random });
  await waitFor(() => load.completed >= someResponses, { timeoutMs: stepMs, what: "responses after the restore" });
  await within(stepMs, "the last load to end", load.stop());
  const responses = [...past.before, ...past.after, ...load.responses];
  const known = responses.filter(({ requestId }) => !unknown.has(requestId));
  const { run, dataDir } = fleet;
  const restored = { ...fleet, audit: (ms?: number) => audit({ run, dataDir, waitMs: ms ?? waitMs, except: unknown }) };
  const evidence = { responses: known, kills: past.kills, waitMs };
  const figures = await within(4 * stepMs, "the figures", collectFigures(restored, evidence));
  const books = await within(stepMs, "the restored books", readBooks(run));
  const gone = past.after.filter((one) => isCompleted(one) && unknown.has(one.requestId));
  const sinceBackup = idsOf(past.after);
  const home = books.billed.filter(({ requestId }) => sinceBackup.has(requestId)).length;
  const violations = [...figures.violations, ...changed(past.books.billed, books.billed)];
  if (toppedUp(books) !== toppedUp(past.books)) violations.push("The top-up after the backup still exists.");
  if (lost.length > 0 && gone.length === 0) violations.push("Nothing was lost, although the journals were.");
  if (lost.length === 0 && home === 0) violations.push("No bill from after the backup was recovered from a journal.");
  const notes = [
    `${past.books.billed.length} bills before the backup; ${home} from after it were recovered`,
    receipts(gone),
  ];
  return { ...figures, violations, notes };
}

export const restores: readonly Proof[] = [
  {
    name: "restore",
    about: "MongoDB is lost under load and restored from a backup: the newest journals recover the usage since then",
    seconds: 5,
    run: (options) => restore(options, { lost: [], end: killAll }),
  },
  {
    name: "restore-stopped",
    about: "the same with every process stopped gracefully and JOURNAL_KEEP=on, as Kubernetes does it",
    seconds: 5,
    env: { JOURNAL_KEEP: "on" },
    run: (options) => restore(options, { lost: [], end: stopAll }),
  },
  {
    name: "restore-bare",
    about: "journals and streams are lost too: exact up to the backup, and the lost bills are reported",
    seconds: 5,
    run: (options) => restore(options, { lost: ["journal", "nats/jetstream"], end: killAll }),
  },
];
