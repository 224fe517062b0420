import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { millisecondsOf } from "./fields.ts";

/**
 * What services learn about a caller. With a replaced secret, the key expires for this caller when
 * the overlap ends.
 */
export function callerMessage(
  key: KeyDocument,
  digest: Buffer,
  { keepsNoAnswers = false, lowersOutputCap = false }: Pick<AccountDocument, "keepsNoAnswers" | "lowersOutputCap">,
): Required<Caller> {
  return {
    keyId: key._id,
    accountId: key.accountId,
    models: key.models,
    expiresAtMs: millisecondsOf(endOf(key, digest)),
    limits: key.limits,
    version: key.version,
    keepsNoAnswers,
    lowersOutputCap,
    routingStrategy: key.routingStrategy ?? "",
    budgetIds: [...(key.budgetIds ?? [])],
  };
}

function endOf(key: KeyDocument, digest: Buffer): Date | null {
  const replaced = key.previous?.find((secret) => secret.digest.equals(digest));
  if (replaced === undefined) return key.expiresAt;
  return key.expiresAt !== null && key.expiresAt < replaced.until ? key.expiresAt : replaced.until;
}
