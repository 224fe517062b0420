import { GatewayError } from "@uag/contract/errors/gateway-error";
import { recallSubjects } from "@uag/contract/messages/billing";
import type { AuditReport } from "@uag/harness/audit/audit";
import type { Books } from "@uag/harness/audit/billed";
import { auditLevels } from "@uag/harness/audit/levels";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { operatorClient } from "@uag/local/operator";
import type { Run } from "@uag/local/run-file";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import type { LoadResponse } from "./load.ts";
import { connectNats } from "./nats.ts";

/** The figures of a proof. All but the first three must be 0. */
export interface Figures {
  readonly requests: number;
  /** Responses that the client received completely. */
  readonly completed: number;
  readonly kills: number;
  /** Requests that were served but are missing in the ledger or in the usage. */
  readonly lost: number;
  /** Requests that are in the ledger or in the usage twice, or were never served. */
  readonly doubled: number;
  /** How often an account's available balance was negative. */
  readonly overdraft: number;
  /** Budgets, envelopes, end users and credentials that spent more than their amount. */
  readonly overspent: number;
  /** Grants that stayed open after everything had ended. */
  readonly leakedHolds: number;
  /** Requests admitted beyond a key's limits. */
  readonly overAdmitted: number;
  /** One sentence per violation, including those of the audit. */
  readonly violations: readonly string[];
  /** Measurements of this proof alone, one sentence each. */
  readonly notes?: readonly string[];
}

export interface Evidence {
  readonly responses: readonly LoadResponse[];
  readonly kills?: number;
  readonly overAdmitted?: number;
  /** Further violations, one sentence each. */
  readonly violations?: readonly string[];
  /** Time for bills in flight, and for grants to be returned. Default 60,000. */
  readonly waitMs?: number;
}

const pageLimit = 1_000;
const recallMs = 500;

/** The total usage by metering's daily roll-ups. */
async function reportedUsage(run: Run): Promise<{ requests: number; costNanoUsd: bigint }> {
  using client = operatorClient<MeteringServiceServer>(run, "metering", MeteringServiceService);
  const filter = { accountId: "", keyId: "", model: "", operation: "", fromMs: 0n, untilMs: 0n };
  const sum = { requests: 0, costNanoUsd: 0n };
  for (let cursor = ""; ; ) {
    const response = await client.queryUsage({ filter, bucket: "day", page: { limit: pageLimit, cursor } });
    for (const { requests, costNanoUsd } of response.buckets) {
      sum.requests += Number(requests);
      sum.costNanoUsd += costNanoUsd;
    }
    cursor = response.nextCursor;
    if (cursor === "") return sum;
  }
}

interface Home {
  readonly report: AuditReport;
  readonly usage: { readonly requests: number; readonly costNanoUsd: bigint };
}

/** Ignores a process that is restarting or disconnects: it is retried. */
function unlessAway(error: unknown): undefined {
  const away = error instanceof GatewayError ? error.retryable : error instanceof TypeError;
  if (!away) throw error;
}

/**
 * Recalls all unspent money, and waits until no grant is open and the usage is complete; returns
 * the last audit.
 */
async function settleAll(fleet: TestFleet, waitMs: number): Promise<Home> {
  await using connection = await connectNats(fleet);
  const look = async (auditMs: number): Promise<Home> => ({
    report: await fleet.audit(auditMs),
    usage: await reportedUsage(fleet.run),
  });
  let home = await waitFor(() => look(waitMs).catch(unlessAway), { timeoutMs: waitMs, everyMs: recallMs });
  const isHome = async (): Promise<boolean> => {
    for (const { id } of home.report.books.accounts) connection.publish(recallSubjects.of(id));
    home = (await look(0).catch(unlessAway)) ?? home;
    const { report, usage } = home;
    return report.exact && report.books.openGrants === 0n && usage.requests === Number(report.books.settledRequests);
  };
  await waitFor(isHome, { timeoutMs: waitMs, everyMs: recallMs }).catch(() => undefined);
  return home;
}

/** Outcomes of which the client may have received a part. */
const received: readonly string[] = ["completed", "aborted", "broken"];

/** Responses with a bill of their own: the client has seen their head, and they are no replay. */
export const billedResponses = (responses: readonly LoadResponse[]): LoadResponse[] =>
  responses.filter(
    ({ outcome, headers }) => received.includes(outcome) && headers?.has("idempotent-replayed") === false,
  );

/**
 * Responses that the client received, or had begun to receive, but the ledger does not know;
 * replayed ones have no bill.
 */
function missingIn({ billed }: Books, responses: readonly LoadResponse[]): string[] {
  const known = new Set(billed.map(({ requestId }) => requestId));
  const mine = billedResponses(responses);
  return mine.flatMap(({ requestId, outcome }) =>
    known.has(requestId) ? [] : [`${requestId} got a response (${outcome}) but is not billed.`],
  );
}

/**
 * Waits until everything is settled, audits, and counts what was lost, duplicated, overdrawn or leaked.
 */
export async function collectFigures(fleet: TestFleet, evidence: Evidence): Promise<Figures> {
  const { responses, kills = 0, overAdmitted = 0, violations = [], waitMs = 60_000 } = evidence;
  const { report, usage } = await settleAll(fleet, waitMs);
  const { books, comparison, violations: audited } = report;
  const levels = await auditLevels(fleet.run);
  const missing = missingIn(books, responses);
  const difference = usage.requests - Number(books.settledRequests);
  const cost = books.billed.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n);
  const counted =
    difference === 0 && usage.costNanoUsd === cost
      ? []
      : [
          `The usage has ${usage.requests} requests for ${usage.costNanoUsd} nano-USD, the ledger ${books.settledRequests} for ${cost}.`,
        ];
  const leaked = books.openGrants === 0n ? [] : [`${books.openGrants} grants are still open.`];
  return {
    requests: responses.length,
    completed: responses.filter(({ outcome }) => outcome === "completed").length,
    kills,
    lost: Math.max(comparison.unbilled, missing.length, -difference),
    doubled: books.doubled + comparison.unserved + Math.max(0, difference),
    overdraft: books.overdrafts,
    overspent: levels.overspent,
    leakedHolds: Number(books.openGrants),
    overAdmitted,
    violations: [...violations, ...audited, ...missing, ...counted, ...leaked, ...levels.violations],
    notes: [
      `${levels.budgets} budgets, ${levels.envelopes} envelopes, ${levels.endUsers} end users and ${levels.credentials} credentials with a cap were compared with the rows.`,
    ],
  };
}

/** True when every promise was kept. */
export function isClean(figures: Figures): boolean {
  const { violations, lost, doubled, overdraft, overspent, leakedHolds, overAdmitted } = figures;
  return violations.length === 0 && lost + doubled + overdraft + overspent + leakedHolds + overAdmitted === 0;
}

const maxShown = 20;

/** For people: one line of figures, and the violations. */
export function showFigures(title: string, figures: Figures): string {
  const { violations, notes = [], leakedHolds, overAdmitted, ...rest } = figures;
  const all = Object.entries({ ...rest, "leaked holds": leakedHolds, "over-admitted": overAdmitted });
  const parts = all.filter(([, value]) => typeof value === "number");
  const shown = violations.slice(0, maxShown).map((sentence) => `\n  - ${sentence}`);
  const more = violations.length > maxShown ? `\n  - and ${violations.length - maxShown} more` : "";
  const measured = notes.map((note) => `\n  ${note}`).join("");
  const verdict = isClean(figures) ? "exact" : "NOT exact";
  return `${title}: ${parts.map(([name, value]) => `${name} ${value}`).join(", ")}; ${verdict}${measured}${shown.join("")}${more}\n`;
}
