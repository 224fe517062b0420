import type { BudgetDocument } from "@uag/ledger/documents/budgets";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import { maxEnvelopeLevels } from "@uag/ledger/rules/budget";
import { readPage, toPageById } from "@uag/mongo/paging";
import type {
  CloseEnvelopeRequest,
  CreateEnvelopeRequest,
  CreateEnvelopeResponse,
  Envelope,
  GetEnvelopeRequest,
  GetEnvelopeResponse,
  ListEnvelopesRequest,
  ListEnvelopesResponse,
} from "@uag/proto/billing/v1/envelopes.ts";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { generateKey } from "@uag/runtime/api-key";
import { newId } from "@uag/runtime/ids";
import { recordChange } from "../audit/record.ts";
import type { Billing } from "../billing.ts";
import { invalid } from "../budgets/fields.ts";
import { closeEnvelopes } from "../envelopes/close.ts";
import { type EnvelopeBudget, envelopeMessages, envelopeSnapshot, isOpen } from "../envelopes/fields.ts";
import { isWithin, narrowedModels } from "../envelopes/models.ts";
import { openedBefore, openingOf, secretOf } from "../envelopes/opening.ts";
import { callingKey, findEnvelope, inScope, required, visibleTo } from "../envelopes/scope.ts";
import { announceChange } from "../keys/announce.ts";
import { checkKeyFields } from "../keys/fields.ts";
import type { Transaction } from "../store/transaction.ts";
import { newKey } from "./create-key.ts";

/** Of one key, at the same time. */
const maxOpen = 1_000;
/** Below one envelope, and itself, ended or not: their costs are one receipt. */
const maxInRun = 100;
/** 100,000 USD. */
const maxAmount = 100_000_000_000_000n;
const maxModels = 100;
const [minTtlSeconds, maxTtlSeconds] = [10, 30 * 86_400];
/** On one page: what counts against each is added up. */
const maxListed = 100;

function check({ amountNanoUsd, ttlSeconds, models, name }: CreateEnvelopeRequest): void {
  if (amountNanoUsd < 1n || amountNanoUsd > maxAmount)
    throw invalid("max_usd", "An envelope must have more than 0 and at most 100,000 USD.");
  if (ttlSeconds < minTtlSeconds || ttlSeconds > maxTtlSeconds)
    throw invalid("ttl", `The ttl must be ${minTtlSeconds} to ${maxTtlSeconds} seconds.`);
  if (models.length > maxModels) throw invalid("models", `An envelope can name at most ${maxModels} models.`);
  checkKeyFields({ name, models });
}

const actorOf = ({ _id, name, hint }: KeyDocument, requestId: string): Actor => ({
  id: _id,
  name: name || hint,
  requestId,
});

/** What limits a new envelope. */
interface Above {
  readonly root: KeyDocument;
  /** Undefined: it is opened with a key that is no envelope's. */
  readonly parent: EnvelopeBudget | undefined;
  /** Models as in Caller. */
  readonly models: readonly string[];
  /** Unix milliseconds; infinite: never. */
  readonly endsAtMs: number;
}

/** @throws {GatewayError} when the key cannot open an envelope there */
async function findAbove(
  { store }: Billing,
  transaction: Transaction,
  { key, parentId }: { readonly key: KeyDocument; readonly parentId: string },
): Promise<Above> {
  const { session, at } = transaction;
  const { accountId, envelope } = key;
  const keyOf = (keyId: string) => callingKey(store, { accountId, keyId }, transaction);
  const root = envelope === undefined ? key : await keyOf(envelope.rootKeyId);
  const rootEndsMs = root.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const id = parentId || envelope?.ids[0];
  if (id === undefined) return { root, parent: undefined, models: root.models, endsAtMs: rootEndsMs };
  const scope = { accountId, ...visibleTo(key) };
  const parent = await findEnvelope(store, scope, { id, session, param: "parent" });
  if (!isOpen(parent, at)) throw invalid("parent", "The envelope above is closed or has expired.");
  if (parent.chain.length >= maxEnvelopeLevels)
    throw invalid("parent", `Envelopes can have at most ${maxEnvelopeLevels} levels.`);
  const { models } = await keyOf(parent.envelope.keyId);
  const endsAtMs = Math.min(parent.envelope.expiresAt.getTime(), rootEndsMs);
  return { root, parent, models: narrowedModels(models, root.models), endsAtMs };
}

/** @throws {GatewayError} `invalid_request` when there would be too many */
async function checkCounts({ store }: Billing, { session, at }: Transaction, { root, parent }: Above): Promise<void> {
  const { budgets } = store;
  const open = { "envelope.rootKeyId": root._id, ...inState(true, at) };
  if ((await budgets.countDocuments(open).session(session)) >= maxOpen)
    throw invalid("max_usd", `A key can have at most ${maxOpen} open envelopes. Close those that are done.`);
  const top = parent?.chain.at(-1);
  if (top !== undefined && (await budgets.countDocuments({ chain: top }).session(session)) >= maxInRun)
    throw invalid("parent", `An envelope can have at most ${maxInRun - 1} others below it.`);
}

/**
 * Opens an envelope with a key of its own, whose secret is returned here and nowhere else; again for
 * a repeated request with an idempotency key, whatever became of the envelope since. Its amount is a
 * limit within those above it; nothing is set aside.
 */
export async function createEnvelope(
  billing: Billing,
  request: CreateEnvelopeRequest,
): Promise<CreateEnvelopeResponse> {
  check(request);
  const scope = required(request.scope);
  const { store, settings } = billing;
  const { accountId } = scope;
  const { peppers } = settings;
  const opening = openingOf(request, peppers);
  const secret = opening === undefined ? generateKey() : secretOf(opening, peppers);
  const { name, amountNanoUsd: amount, ttlSeconds, parentId, requestId } = request;
  const made = await billing.transact(async (transaction) => {
    const { session, at } = transaction;
    // Conflicts with closing, revoking and opening others, so that what is read here still holds.
    await store.accounts.updateOne({ _id: accountId }, { $inc: { version: 1n } }, { session });
    const key = await callingKey(store, scope, transaction);
    const before = opening && (await openedBefore(store, opening, session));
    if (before !== undefined)
      return { budget: before, own: undefined, secret: secretOf(before.envelope.opening, peppers) };
    const above = await findAbove(billing, transaction, { key, parentId });
    await checkCounts(billing, transaction, above);
    const { root, parent } = above;
    if (!isWithin(request.models, above.models))
      throw invalid("models", "The key or envelope above may not use all of these models.");
    if (parent !== undefined && amount > parent.amount)
      throw invalid("max_usd", "An envelope cannot have more than the one above it.");
    const expiresAt = new Date(Math.min(at.getTime() + ttlSeconds * 1_000, above.endsAtMs));
    const id = newId("env");
    const ids = [id, ...(parent?.chain ?? [])];
    const models = request.models.length > 0 ? request.models : [...above.models];
    const fields = { accountId, name, models, limits: undefined, expiresAtMs: BigInt(expiresAt.getTime()) };
    const own = {
      ...newKey(fields, { secret, pepper: peppers.current, createdAt: at }),
      envelope: { ids, rootKeyId: root._id },
    };
    const envelope = { keyId: own._id, rootKeyId: root._id, expiresAt, closedAt: null, ...(opening && { opening }) };
    const terms = { amount, period: "total", hard: true } as const;
    const budget = { _id: id, accountId, name, chain: ids, ...terms, createdAt: at, deletedAt: null, envelope };
    await store.keys.create([own], { session });
    await store.budgets.create([budget], { session });
    const after = envelopeSnapshot(budget, models);
    const change = { actor: actorOf(key, requestId), action: "envelope.create", targetId: id, accountId, after };
    await recordChange(store, transaction, change);
    return { own, budget, secret };
  });
  if (made.own !== undefined) announceChange(billing, made.own, "created");
  const [envelope] = await envelopeMessages(billing, [made.budget]);
  return { envelope, secret: made.secret, replayed: made.own === undefined };
}

/** An envelope and those below it. @throws {GatewayError} `not_found` */
export async function getEnvelope(billing: Billing, { scope, id }: GetEnvelopeRequest): Promise<GetEnvelopeResponse> {
  const { store } = billing;
  const envelope = await findEnvelope(store, await inScope(store, required(scope)), { id });
  const below = await store.budgets
    .find({ chain: id, _id: { $ne: id } })
    .sort({ _id: 1 })
    .limit(maxInRun)
    .lean<EnvelopeBudget[]>();
  const [first, ...others] = await envelopeMessages(billing, [envelope, ...below]);
  return { envelope: first, below: others };
}

/** Matches those that are open, or those that have ended; all without a choice. */
function inState(open: boolean | undefined, at: Date) {
  if (open === undefined) return {};
  if (open) return { "envelope.closedAt": null, "envelope.expiresAt": { $gt: at } };
  return { $or: [{ "envelope.closedAt": { $ne: null } }, { "envelope.expiresAt": { $lte: at } }] };
}

/** Envelopes of a key, an account or all accounts, the newest first. */
export async function listEnvelopes(billing: Billing, request: ListEnvelopesRequest): Promise<ListEnvelopesResponse> {
  const { store, clock } = billing;
  const { after, ...page } = readPage(request.page);
  const limit = Math.min(page.limit, maxListed);
  const scope = await inScope(store, required(request.scope));
  const state = inState(request.open, new Date(clock.now()));
  const found = await store.budgets
    .find({ $and: [scope, state, after === "" ? {} : { _id: { $lt: after } }] })
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean<EnvelopeBudget[]>();
  const { rows, nextCursor } = toPageById(found, limit, ({ _id }: BudgetDocument) => _id);
  return { envelopes: await envelopeMessages(billing, rows), nextCursor };
}

/**
 * Closes an envelope and those below it; closing it again changes nothing, but notifies the routers
 * once more. What services hold of it unspent returns; requests under way settle as usual.
 * @throws {GatewayError} `not_found`
 */
export async function closeEnvelope(billing: Billing, request: CloseEnvelopeRequest): Promise<Envelope> {
  const { store } = billing;
  const { id, requestId } = request;
  const scope = required(request.scope);
  const filter = await inScope(store, scope);
  const { accountId } = await findEnvelope(store, filter, { id });
  const closed = await billing.transact(async (transaction) => {
    const { session, at } = transaction;
    const keys = await closeEnvelopes(store, transaction, { accountId, which: { chain: id } });
    if (keys.length === 0) return keys;
    const caller = await store.keys.findById(scope.keyId).session(session).lean<KeyDocument>();
    const actor = request.actor ?? (caller === null ? undefined : actorOf(caller, requestId));
    const before = JSON.stringify({ closed_at: null });
    const after = JSON.stringify({ closed_at: at, revoked_keys: keys.map(({ _id }) => _id) });
    await recordChange(store, transaction, { actor, action: "envelope.close", targetId: id, accountId, before, after });
    return keys;
  });
  for (const key of closed) announceChange(billing, key, "revoked");
  billing.recall(accountId);
  const [envelope] = await envelopeMessages(billing, [await findEnvelope(store, filter, { id })]);
  return envelope as Envelope;
}
