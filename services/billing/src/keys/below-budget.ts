import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Store } from "@uag/ledger/documents/store";

type Keys = Pick<Store, "keys">;

/** Of one query. */
const maxKeys = 10_000;

const tooMany = (): GatewayError =>
  new GatewayError("invalid_request", `More than ${maxKeys} keys are below this budget. Choose one of them.`, {
    param: "key",
  });

async function idsOf({ keys }: Keys, filter: object, max: number): Promise<string[]> {
  const found = await keys
    .find(filter, { _id: 1 })
    .limit(max + 1)
    .lean<{ readonly _id: string }[]>();
  if (found.length > max) throw tooMany();
  return found.map(({ _id }) => _id);
}

/**
 * The ids of the keys of a budget and of those below it, revoked ones included.
 * @throws {GatewayError} `invalid_request` when there are too many
 */
export const keysBelow = (store: Keys, budgetId: string): Promise<string[]> =>
  idsOf(store, { budgetIds: budgetId }, maxKeys);

/**
 * The same, with the keys of envelopes that were opened with them.
 * @throws {GatewayError} `invalid_request` when there are too many
 */
export async function allKeysBelow(store: Keys, budgetId: string): Promise<string[]> {
  const roots = await keysBelow(store, budgetId);
  const opened = { "envelope.rootKeyId": { $in: roots } };
  return [...roots, ...(await idsOf(store, opened, maxKeys - roots.length))];
}

/** Whether a key, or the one that its envelope was opened with, is among them. */
export async function isBelow({ keys }: Keys, budgetId: string, keyId: string): Promise<boolean> {
  const key = await keys.findById(keyId).lean();
  const rootId = key?.envelope?.rootKeyId ?? keyId;
  return (await keys.exists({ _id: rootId, budgetIds: budgetId })) !== null;
}
