import { budgetOfLevel, isEndUserLevel } from "@uag/contract/end-users";
import { sharedBudgetOf } from "@uag/ledger/documents/budgets";
import { auditWaitMs, connectBooks } from "@uag/ledger/documents/connection";
import { modelsOn, type Store } from "@uag/ledger/documents/store";
import { periodAt } from "@uag/ledger/rules/budget";
import type { Run } from "@uag/local/run-file";

/** What limits money beside balances and keys' own budgets, compared with the ledger's rows. */
export interface Levels {
  readonly budgets: number;
  readonly envelopes: number;
  /** End users that budgets give a part, and that were charged. */
  readonly endUsers: number;
  /** Credentials with a cap for a day. */
  readonly credentials: number;
  /** Budgets, envelopes, end users and credentials that spent more than their amount. */
  readonly overspent: number;
  /** One sentence for each of them, and for each whose count is not the sum of its rows. */
  readonly violations: readonly string[];
}

type Models = Pick<Store, "ledger" | "spending" | "budgets" | "credentialSpending" | "catalogCredentials">;

/** What rows charged, nano-USD. */
interface Charged {
  readonly charged: bigint;
  /** The part within what was reserved for it: a cost above its hold, or a late bill, is not. */
  readonly reserved: bigint;
}

const nanoUsd = 1_000_000_000;
const day = { $dateToString: { date: "$at", format: "%Y-%m-%d", timezone: "UTC" } };

/** By `<budget>/<day>`. */
async function budgetRows({ ledger }: Models): Promise<Map<string, Charged>> {
  const rows = await ledger.collection
    .aggregate<{ _id: { id: string; day: string }; charged: bigint; reserved: bigint }>(
      [
        { $match: { "event.budgetIds.0": { $exists: true } } },
        { $unwind: "$event.budgetIds" },
        {
          $group: {
            _id: { id: "$event.budgetIds", day },
            charged: { $sum: "$charged" },
            reserved: { $sum: { $multiply: ["$held", -1] } },
          },
        },
      ],
      { promoteLongs: true, useBigInt64: true },
    )
    .toArray();
  return new Map(rows.map(({ _id, charged, reserved }) => [`${_id.id}/${_id.day}`, { charged, reserved }]));
}

/** By `<provider>/<credential>/<day>`; rows before a request's cost at its upstream was kept have its price. */
async function credentialRows({ ledger }: Models): Promise<Map<string, Charged>> {
  const started = { $dateToString: { date: { $toDate: "$event.startedAtMs" }, format: "%Y-%m-%d", timezone: "UTC" } };
  const spent = { $ifNull: ["$event.upstreamCostNanoUsd", "$event.costNanoUsd"] };
  const rows = await ledger.collection
    .aggregate<{ _id: { provider: string; credential: string; day: string }; charged: bigint; reserved: bigint }>(
      [
        { $match: { kind: "settle", "event.upstreamCredentialId": { $gt: "" } } },
        {
          $group: {
            _id: { provider: "$event.upstream", credential: "$event.upstreamCredentialId", day: started },
            charged: { $sum: spent },
            reserved: { $sum: { $min: [spent, "$event.holdNanoUsd"] } },
          },
        },
      ],
      { promoteLongs: true, useBigInt64: true },
    )
    .toArray();
  return new Map(
    rows.map(({ _id, charged, reserved }) => [`${_id.provider}/${_id.credential}/${_id.day}`, { charged, reserved }]),
  );
}

const differs = (what: string, counted: bigint, rows: bigint): string[] =>
  counted === rows ? [] : [`${counted} nano-USD count toward ${what}, of which the rows charged ${rows}.`];

const exceeds = (what: string, spent: bigint, amount: bigint): string[] =>
  spent <= amount ? [] : [`${what} spent ${spent} nano-USD of ${amount}.`];

async function auditBudgets(models: Models): Promise<Omit<Levels, "credentials">> {
  const rows = await budgetRows(models);
  const documents = await models.budgets.find().lean();
  const byId = new Map(documents.map((budget) => [budget._id, budget]));
  const counted = new Map<string, bigint>();
  for (const { _id, charged } of await models.spending.find().lean()) {
    const [, id = "", date = ""] = _id.split("/");
    if (byId.has(budgetOfLevel(id))) counted.set(`${id}/${date}`, charged);
  }
  // What counted toward an envelope is deleted with it; its rows stay.
  const isPruned = (at: string): boolean => at.startsWith("env_") && !byId.has(at.split("/")[0] ?? "");
  const different = [...new Set([...rows.keys(), ...counted.keys()])].flatMap((at) =>
    isPruned(at) ? [] : differs(at, counted.get(at) ?? 0n, rows.get(at)?.charged ?? 0n),
  );
  const byLevel = Map.groupBy(rows, ([at]) => at.slice(0, at.indexOf("/")));
  const endUsers = [...byLevel.keys()].filter(isEndUserLevel);
  const levels = [...byId.keys(), ...endUsers].flatMap((id) => {
    const budget = byId.get(budgetOfLevel(id));
    return budget === undefined ? [] : [sharedBudgetOf(budget, id)];
  });
  const overspent = levels.flatMap(({ id, amount, period, hard }) => {
    if (!hard) return [];
    const sums = new Map<number, bigint>();
    for (const [at, { reserved }] of byLevel.get(id) ?? []) {
      const [, date = ""] = at.split("/");
      const start = period === "total" ? 0 : periodAt(period, Date.parse(date)).startMs;
      sums.set(start, (sums.get(start) ?? 0n) + reserved);
    }
    return [...sums.values()].flatMap((spent) => exceeds(id, spent, amount)).slice(0, 1);
  });
  const envelopes = documents.filter(({ envelope }) => envelope !== undefined).length;
  const violations = [...different, ...overspent];
  const budgets = documents.length - envelopes;
  return { budgets, envelopes, endUsers: endUsers.length, overspent: overspent.length, violations };
}

async function auditCredentials(models: Models): Promise<Pick<Levels, "credentials" | "overspent" | "violations">> {
  const rows = await credentialRows(models);
  const counted = new Map<string, bigint>();
  for (const { provider, credentialId, day: date, spent } of await models.credentialSpending.find().lean()) {
    const at = `${provider}/${credentialId}/${date}`;
    counted.set(at, (counted.get(at) ?? 0n) + spent);
  }
  const different = [...new Set([...rows.keys(), ...counted.keys()])].flatMap((at) =>
    differs(at, counted.get(at) ?? 0n, rows.get(at)?.charged ?? 0n),
  );
  const capped = (await models.catalogCredentials.find().lean()).filter(({ dailyCapUsd = 0 }) => dailyCapUsd > 0);
  const overspent = capped.flatMap(({ _id, provider, dailyCapUsd = 0 }) => {
    const cap = BigInt(Math.round(dailyCapUsd * nanoUsd));
    const days = [...rows].filter(([at]) => at.startsWith(`${provider}/${_id}/`));
    return days.flatMap(([at, { reserved }]) => exceeds(at, reserved, cap)).slice(0, 1);
  });
  return { credentials: capped.length, overspent: overspent.length, violations: [...different, ...overspent] };
}

/**
 * Compares what counts toward each budget, envelope and credential with the rows of the ledger, and what they reserved
 * with its amount. Valid when nothing is in flight.
 */
export async function auditLevels(run: Run): Promise<Levels> {
  const connection = await connectBooks({ url: run.mongodb_url, database: "billing", waitMs: auditWaitMs });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => connection.close());
  const models = modelsOn(connection);
  const [levels, { credentials, overspent, violations }] = [await auditBudgets(models), await auditCredentials(models)];
  return {
    ...levels,
    credentials,
    overspent: levels.overspent + overspent,
    violations: [...levels.violations, ...violations],
  };
}
