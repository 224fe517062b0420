import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Caller, Level } from "@uag/proto/common/v1/caller.ts";
import { narrowedModels } from "../envelopes/models.ts";
import { millisecondsOf } from "./fields.ts";

/**
 * What services learn about a caller. With a replaced secret, the key expires for this caller when
 * the overlap ends.
 * @param root for the key of an envelope, the key that it was opened with: never more is allowed to
 * it than to that one now
 */
export function callerMessage(
  key: KeyDocument,
  digest: Buffer,
  {
    keepsNoAnswers = false,
    lowersOutputCap = false,
    storesResponses = false,
    root,
    levels,
  }: Pick<AccountDocument, "keepsNoAnswers" | "lowersOutputCap" | "storesResponses"> & {
    readonly root: KeyDocument | undefined;
    /** Budgets that limit more than money, by their ids. */
    readonly levels: ReadonlyMap<string, Level>;
  },
): Required<Caller> {
  const { limits, version, routingStrategy = "", budgetIds = [] } = root ?? key;
  return {
    keyId: key._id,
    accountId: key.accountId,
    models: root === undefined ? key.models : narrowedModels(key.models, root.models),
    expiresAtMs: millisecondsOf(earlier(endOf(key, digest), root?.expiresAt ?? null)),
    limits,
    version,
    keepsNoAnswers,
    lowersOutputCap,
    storesResponses,
    routingStrategy,
    budgetIds: [...(key.envelope?.ids ?? []), ...budgetIds],
    rootKeyId: key.envelope?.rootKeyId,
    levels: budgetIds.flatMap((id) => levels.get(id) ?? []),
  };
}

function endOf(key: KeyDocument, digest: Buffer): Date | null {
  const replaced = key.previous?.find((secret) => secret.digest.equals(digest));
  return earlier(key.expiresAt, replaced?.until ?? null);
}

/** The earlier of two times; null: never. */
function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
