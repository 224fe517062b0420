import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type {
  ResolveKeyRequest,
  ResolveKeyResponse,
  ResolveKeysRequest,
  ResolveKeysResponse,
} from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { callerMessage } from "../keys/key.ts";
import type { AccountDocument } from "../store/accounts.ts";
import type { KeyDocument } from "../store/keys.ts";

const mostPrevious = 8;
const mostAtOnce = 1_000;

const candidates = ({ digest, previousDigests }: ResolveKeyRequest): Buffer[] => [
  digest,
  ...previousDigests.slice(0, mostPrevious),
];

/**
 * A key that was found under a pepper which is being replaced is kept under the current one from
 * now on.
 */
async function renewDigest({ store, settings }: Billing, found: Buffer, request: ResolveKeyRequest): Promise<void> {
  const { digest, pepperId = "" } = request;
  if (digest.equals(found) || pepperId !== settings.peppers.current.id) return;
  await store.keys.updateOne({ digest: found }, { $set: { digest, pepperId } });
}

/**
 * The router's look-up. A revoked or expired key is found: the router turns it away, and may
 * remember that.
 */
export async function resolveKey(billing: Billing, request: ResolveKeyRequest): Promise<ResolveKeyResponse> {
  const { keys } = billing.store;
  const given = candidates(request);
  const key =
    (await keys.findOne({ digest: { $in: given } }).lean<KeyDocument>()) ??
    (await keys.findOne({ "previous.digest": { $in: given } }).lean<KeyDocument>());
  if (key === null) throw new GatewayError("not_found", "There is no such key.");
  const secrets = [key.digest, ...(key.previous ?? []).map((secret) => secret.digest)];
  const found = secrets.find((digest) => given.some((one) => one.equals(digest))) as Buffer;
  await renewDigest(billing, found, request);
  const account = await billing.store.accounts
    .findById(key.accountId, { keepsNoAnswers: 1 })
    .lean<Pick<AccountDocument, "keepsNoAnswers">>();
  return { caller: callerMessage(key, found, account ?? {}), revoked: key.revokedAt !== null };
}

/**
 * Those of the digests that some key has, one query for all: most of what is asked for at once is
 * made up.
 */
async function knownDigests({ store }: Billing, digests: Buffer[]): Promise<Set<string>> {
  const wanted = { $in: digests };
  const found = await store.keys
    .find({ $or: [{ digest: wanted }, { "previous.digest": wanted }] }, { digest: 1, "previous.digest": 1 })
    .lean<Pick<KeyDocument, "digest" | "previous">[]>();
  const all = found.flatMap(({ digest, previous = [] }) => [digest, ...previous.map((secret) => secret.digest)]);
  return new Set(all.map((digest) => digest.toString("hex")));
}

/** {@link resolveKey} for many; what is no key's costs a share of one query. */
export async function resolveKeys(billing: Billing, { keys }: ResolveKeysRequest): Promise<ResolveKeysResponse> {
  if (keys.length > mostAtOnce) {
    throw new GatewayError("invalid_request", `At most ${mostAtOnce} keys are looked up at once.`, { param: "keys" });
  }
  const known = await knownDigests(billing, keys.flatMap(candidates));
  const isKnown = (request: ResolveKeyRequest) =>
    candidates(request).some((digest) => known.has(digest.toString("hex")));
  const none: ResolveKeyResponse = { caller: undefined, revoked: false };
  return { keys: await Promise.all(keys.map((key) => (isKnown(key) ? resolveKey(billing, key) : none))) };
}
