import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Caller, EndUsers } from "@uag/proto/common/v1/caller.ts";
import type { Levels } from "../budgets/levels.ts";
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
    readonly levels: Levels;
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
    levels: budgetIds.flatMap((id) => levels.shared.get(id) ?? []),
    endUsers: endUsersOf(budgetIds, levels),
  };
}

function endUsersOf(budgetIds: readonly string[], { endUsers }: Levels): EndUsers | undefined {
  const rules = budgetIds.flatMap((id) => endUsers.get(id) ?? []);
  return rules.length === 0 ? undefined : { rules };
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
