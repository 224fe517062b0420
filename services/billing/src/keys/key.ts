import type { Key } from "@uag/proto/billing/v1/keys.ts";
import type { Caller, Limits } from "@uag/proto/common/v1/caller.ts";
import type { AccountDocument } from "../store/accounts.ts";
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

const maxTagLength = 100;
const maxTags = 50;

/**
 * The strings of `tags` in a key's metadata, by which keys can be searched. LiteLLM keeps tags
 * there too.
 */
export function tagsOf(metadata: string): string[] {
  const { tags }: { tags?: unknown } = JSON.parse(metadata) as object;
  if (!Array.isArray(tags)) return [];
  const texts = tags.filter(
    (tag): tag is string => typeof tag === "string" && tag !== "" && tag.length <= maxTagLength,
  );
  return [...new Set(texts)].slice(0, maxTags);
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
    metadata: key.metadata ?? "{}",
  };
}

/**
 * What services learn about a caller. With a replaced secret, the key expires for this caller when
 * the overlap ends.
 */
export function callerMessage(
  key: KeyDocument,
  digest: Buffer,
  { keepsNoAnswers = false }: Pick<AccountDocument, "keepsNoAnswers">,
): Caller {
  return {
    keyId: key._id,
    accountId: key.accountId,
    models: key.models,
    expiresAtMs: millisecondsOf(endOf(key, digest)),
    limits: key.limits,
    version: key.version,
    keepsNoAnswers,
  };
}

function endOf(key: KeyDocument, digest: Buffer): Date | null {
  const replaced = key.previous?.find((secret) => secret.digest.equals(digest));
  if (replaced === undefined) return key.expiresAt;
  return key.expiresAt !== null && key.expiresAt < replaced.until ? key.expiresAt : replaced.until;
}

/** Enough of a secret for people to tell keys apart: `sk-Ab3d…x9Zq`. */
export function hintOf(secret: string): string {
  return `${secret.slice(0, 7)}…${secret.slice(-4)}`;
}
