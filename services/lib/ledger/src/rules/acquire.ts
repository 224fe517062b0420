import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Book, Change, Operation } from "./book.ts";
import { budgetLimits, type ExceededBudget, envelopeLeft } from "./budget.ts";
import { chainStart, entryId } from "./entry.ts";
import type { Grant } from "./grant.ts";
import { larger, noMoney, smaller } from "./money.ts";

export interface AcquireGrant {
  /** Id for the grant, if one is created. */
  readonly grantId: string;
  readonly holderId: string;
  readonly accountId: string;
  /** Empty: for every key of the account without a budget of its own. */
  readonly keyId: string;
  /** The shared budgets that it counts toward: that of its keys, then those above it. */
  readonly budgetIds: readonly string[];
  readonly requestId: string;
  /** The smallest useful amount, nano-USD. */
  readonly need: bigint;
  /** The amount to aim for, nano-USD. */
  readonly want: bigint;
  /** Unix milliseconds; 0: the grant expires with its holder. */
  readonly taskUntilMs: number;
  /** A grant takes at most 1/`share` of the available balance, unless `need` is more. */
  readonly share: bigint;
  /** An account with more than this written off gets no grant, nano-USD. */
  readonly writeOffLimit: bigint;
}

export type Acquired =
  | {
      readonly kind: "granted";
      readonly grant: Grant;
      readonly available: bigint;
      readonly scarce: boolean;
      /** For an envelope's key: what its envelopes leave beyond this grant; undefined for a known one. */
      readonly envelopeLeft?: bigint | undefined;
    }
  | {
      readonly kind: "insufficient";
      readonly available: bigint;
      readonly held: bigint;
      readonly budgetExceeded: boolean;
      /** With `budgetExceeded`: the shared budget; undefined: the key's own. */
      readonly exceededBudget?: ExceededBudget | undefined;
      /** For an envelope's key: what its envelopes leave. */
      readonly envelopeLeft?: bigint | undefined;
      /**
       * What must be repaid before the account gets another grant, whatever its balance, nano-USD;
       * 0 if nothing.
       */
      readonly owed: bigint;
    };

/**
 * Between `need` and `want`: a fixed share of the available balance, down to what one request
 * needs.
 */
function grantSize(input: { need: bigint; want: bigint; available: bigint; share: bigint }): bigint {
  return larger(input.need, smaller(input.want, input.available / input.share));
}

function existing(grant: Grant, requested: AcquireGrant, available: bigint): Acquired {
  const same =
    grant.accountId === requested.accountId &&
    grant.keyId === requested.keyId &&
    grant.budgetIds[0] === requested.budgetIds[0] &&
    (grant.holderId === requested.holderId || grant.taskUntilMs > 0);
  if (!same || grant.state !== "open") {
    throw new GatewayError("already_exists", "This request id belongs to another grant, or to one that is closed.", {
      param: "request_id",
    });
  }
  return { kind: "granted", grant, available, scarce: available < requested.want * requested.share };
}

type Insufficient = Extract<Acquired, { readonly kind: "insufficient" }>;

function refuse(
  { available, held }: Pick<Insufficient, "available" | "held">,
  why: Partial<Omit<Insufficient, "kind" | "available" | "held">> = {},
): Change<Acquired> {
  const response = { kind: "insufficient", available, held, budgetExceeded: false, owed: 0n, ...why } as const;
  return { response, postings: [], grants: [] };
}

/** Moves money from available to held, or refuses because there is too little. */
function acquireGrant(book: Book, requested: AcquireGrant): Change<Acquired> {
  if (book.holders.get(requested.holderId) !== "alive") {
    throw new GatewayError("permission_denied", "This holder was fenced. Start a new holder session.", {
      param: "holder_id",
    });
  }
  const { available, held, writtenOff } = book.account.money;
  const known = book.grantsByRequest.get(requested.requestId);
  if (known !== undefined) return { response: existing(known, requested, available), postings: [], grants: [] };
  // Money returned by other holders would not help.
  if (writtenOff > requested.writeOffLimit) return refuse({ available, held: 0n }, { owed: writtenOff });
  if (requested.budgetIds.some((id) => !book.sharedBudgets.has(id)))
    throw new GatewayError("not_found", "The budget does not exist.", { param: "budget_ids" });
  const limits = budgetLimits(book, requested);
  const inEnvelope = envelopeLeft(limits);
  if (available < requested.need) return refuse({ available, held }, { envelopeLeft: inEnvelope });
  const exceeded = limits.find((limit) => limit.available < requested.need);
  if (exceeded !== undefined)
    return refuse(exceeded, { budgetExceeded: true, exceededBudget: exceeded.budget, envelopeLeft: inEnvelope });
  const max = limits.reduce((least, limit) => smaller(least, limit.available), available);
  const amount = requested.taskUntilMs > 0 ? requested.need : grantSize({ ...requested, available: max });
  const grant: Grant = {
    id: requested.grantId,
    accountId: requested.accountId,
    keyId: requested.keyId,
    budgetIds: requested.budgetIds,
    holderId: requested.holderId,
    requestId: requested.requestId,
    amount,
    returned: 0n,
    settled: 0n,
    folded: 0n,
    seq: 0n,
    head: chainStart,
    state: "open",
    taskUntilMs: requested.taskUntilMs,
    createdAtMs: book.nowMs,
  };
  const left = max - amount;
  return {
    response: {
      kind: "granted",
      grant,
      available: left,
      scarce: left < requested.want * requested.share,
      envelopeLeft: inEnvelope === undefined ? undefined : inEnvelope - amount,
    },
    postings: [
      {
        id: entryId.grant(grant.id),
        kind: "grant",
        change: { ...noMoney, available: -amount, held: amount },
        grantId: grant.id,
      },
    ],
    grants: [grant],
  };
}

export function acquireOperation(requested: AcquireGrant): Operation<Acquired> {
  return {
    accountId: requested.accountId,
    needs: {
      holders: [requested.holderId],
      grantRequests: [requested.requestId],
      budgets: requested.keyId === "" ? [] : [requested.keyId],
      sharedBudgets: requested.budgetIds,
    },
    decide: (book) => acquireGrant(book, requested),
  };
}
