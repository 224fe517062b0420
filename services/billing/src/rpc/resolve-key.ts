import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type {
  ResolveKeyRequest,
  ResolveKeyResponse,
  ResolveKeysRequest,
  ResolveKeysResponse,
} from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { findLevels } from "../budgets/levels.ts";
import { callerMessage } from "../keys/caller-message.ts";

const maxPrevious = 8;
const maxAtOnce = 1_000;

const candidates = ({ digest, previousDigests }: ResolveKeyRequest): Buffer[] => [
  digest,
  ...previousDigests.slice(0, maxPrevious),
];

/** Stores a key found under a previous pepper under the current one. */
async function renewDigest({ store, settings }: Billing, found: Buffer, request: ResolveKeyRequest): Promise<void> {
  const { digest, pepperId = "" } = request;
  if (digest.equals(found) || pepperId !== settings.peppers.current.id) return;
  await store.keys.updateOne({ digest: found }, { $set: { digest, pepperId } });
}

const digestsOf = (key: KeyDocument): Buffer[] => [key.digest, ...(key.previous ?? []).map(({ digest }) => digest)];

/** Finds the requested keys, indexed by each of their digests in hex. */
async function findKeys({ store }: Billing, requests: ResolveKeyRequest[]): Promise<Map<string, KeyDocument>> {
  const found = new Map<string, KeyDocument>();
  const isMissing = (request: ResolveKeyRequest): boolean =>
    candidates(request).every((digest) => !found.has(digest.toString("hex")));
  for (const field of ["digest", "previous.digest"]) {
    const digests = requests.filter(isMissing).flatMap(candidates);
    if (digests.length === 0) break;
    for (const key of await store.keys.find({ [field]: { $in: digests } }).lean<KeyDocument[]>())
      for (const digest of digestsOf(key)) found.set(digest.toString("hex"), key);
  }
  return found;
}

/** Finds the keys that are requested by id. */
async function findById({ store }: Billing, requests: ResolveKeyRequest[]): Promise<Map<string, KeyDocument>> {
  const ids = requests.flatMap(({ keyId = "" }) => (keyId === "" ? [] : [keyId]));
  if (ids.length === 0) return new Map();
  const rows = await store.keys.find({ _id: { $in: ids } }).lean<KeyDocument[]>();
  return new Map(rows.map((row) => [row._id, row]));
}

/** The keys that the envelopes of these keys were opened with, by their ids. */
async function findRoots({ store }: Billing, keys: Iterable<KeyDocument>): Promise<Map<string, KeyDocument>> {
  const ids = [...new Set(Array.from(keys).flatMap(({ envelope }) => envelope?.rootKeyId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await store.keys.find({ _id: { $in: ids } }).lean<KeyDocument[]>();
  return new Map(rows.map((row) => [row._id, row]));
}

type Settings = Pick<AccountDocument, "_id" | "keepsNoAnswers" | "lowersOutputCap" | "storesResponses" | "disabled">;

const settingFields = { keepsNoAnswers: 1, lowersOutputCap: 1, storesResponses: 1, disabled: 1 } as const;

/** The settings of these accounts, by their ids. */
async function findSettings({ store }: Billing, ids: readonly string[]): Promise<Map<string, Settings>> {
  const rows = await store.accounts.find({ _id: { $in: ids } }, settingFields).lean<Settings[]>();
  return new Map(rows.map((row) => [row._id, row]));
}

/**
 * The router's lookup, and media's by id: two to six queries, however many keys are requested. Revoked and expired
 * keys and those of disabled accounts are returned too: the router rejects them, and may cache that.
 */
export async function resolveKeys(billing: Billing, { keys }: ResolveKeysRequest): Promise<ResolveKeysResponse> {
  if (keys.length > maxAtOnce) {
    throw new GatewayError("invalid_request", `At most ${maxAtOnce} keys can be looked up at once.`, { param: "keys" });
  }
  const found = await findKeys(
    billing,
    keys.filter(({ keyId = "" }) => keyId === ""),
  );
  const foundById = await findById(billing, keys);
  const all = [...found.values(), ...foundById.values()];
  const settings = await findSettings(billing, [...new Set(all.map((key) => key.accountId))]);
  const roots = await findRoots(billing, all);
  const levels = await findLevels(billing.store, [...all, ...roots.values()]);
  const resolve = async (request: ResolveKeyRequest): Promise<ResolveKeyResponse> => {
    const byId = foundById.get(request.keyId ?? "");
    const given = byId?.digest ?? candidates(request).find((digest) => found.has(digest.toString("hex")));
    const key = byId ?? (given && found.get(given.toString("hex")));
    if (given === undefined || key === undefined) return { caller: undefined, revoked: false };
    if (byId === undefined) await renewDigest(billing, given, request);
    const { disabled = false, ...account } = settings.get(key.accountId) ?? {};
    const root = key.envelope && roots.get(key.envelope.rootKeyId);
    const caller = callerMessage(key, given, { ...account, root, levels });
    return { caller, revoked: key.revokedAt !== null, accountDisabled: disabled };
  };
  return { keys: await Promise.all(keys.map(resolve)) };
}
