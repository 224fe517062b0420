import type { Key } from "@uag/proto/billing/v1/keys.ts";
import type { Caller, Limits } from "@uag/proto/common/v1/caller.ts";
import type { KeyDocument, LimitsDocument } from "../store/keys.ts";

const noLimits: LimitsDocument = {
  requestsPerMinute: 0n,
  tokensPerMinute: 0n,
  concurrentRequests: 0n,
  monthlyBudgetNanoUsd: 0n,
};

export function limitsDocument(limits: Limits | undefined): LimitsDocument {
  return limits === undefined
    ? noLimits
    : {
        requestsPerMinute: limits.requestsPerMinute,
        tokensPerMinute: limits.tokensPerMinute,
        concurrentRequests: limits.concurrentRequests,
        monthlyBudgetNanoUsd: limits.monthlyBudgetNanoUsd,
      };
}

const millisecondsOf = (date: Date | null): bigint => BigInt(date?.getTime() ?? 0);

export const dateOf = (ms: bigint): Date | null => (ms === 0n ? null : new Date(Number(ms)));

export function keyMessage(key: KeyDocument): Key {
  return {
    id: key._id,
    accountId: key.accountId,
    name: key.name,
    hint: key.hint,
    models: key.models,
    limits: key.limits,
    createdAtMs: millisecondsOf(key.createdAt),
    expiresAtMs: millisecondsOf(key.expiresAt),
    revokedAtMs: millisecondsOf(key.revokedAt),
    version: key.version,
  };
}

export function callerMessage(key: KeyDocument): Caller {
  return {
    keyId: key._id,
    accountId: key.accountId,
    models: key.models,
    expiresAtMs: millisecondsOf(key.expiresAt),
    limits: key.limits,
    version: key.version,
  };
}

/** Enough of a secret for people to tell keys apart: `sk-Ab3d…x9Zq`. */
export function hintOf(secret: string): string {
  return `${secret.slice(0, 7)}…${secret.slice(-4)}`;
}
