import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import { refuseLongSearch, type SearchLimit } from "@uag/mongo/long-search";
import { idCursor, longRowsAtOnce, readLongRows, readPage } from "@uag/mongo/paging";
import type { ListKeysRequest, ListKeysResponse } from "@uag/proto/billing/v1/keys.ts";
import type { Billing } from "../billing.ts";
import { keyMessage } from "../keys/fields.ts";

const sorts = ["-created", "created", "name", "-name"] as const;
type Sort = (typeof sorts)[number];

const maxSearchLength = 200;
/** A search scans names or tags one by one. It must end within the time limit of a call. */
const maxTimeMS = 4_000;

const searchOf = ({ tag }: ListKeysRequest): SearchLimit =>
  tag === undefined
    ? { maxTimeMS, remedy: "Filter by account, or by the whole name.", param: "search" }
    : { maxTimeMS, remedy: "Filter by account, or choose a rarer tag.", param: "tag" };

/** @throws {GatewayError} `invalid_request` */
function sortOf({ sort = "-created" }: ListKeysRequest): Sort {
  const found = sorts.find((one) => one === sort);
  if (found !== undefined) return found;
  throw new GatewayError("invalid_request", `sort must be one of ${sorts.join(", ")}.`, { param: "sort" });
}

/** Matches a text anywhere, in any case. */
function containing(text: string): { readonly $regex: string; readonly $options: "i" } {
  if (text.length > maxSearchLength)
    throw new GatewayError("invalid_request", `A search can have at most ${maxSearchLength} characters.`, {
      param: "search",
    });
  return { $regex: text.replaceAll(/[^\p{L}\p{N} ]/gu, "\\$&"), $options: "i" };
}

/** Keys of envelopes are shown with these. */
function filterOf(request: ListKeysRequest) {
  const { accountId, name, search, tag, includeRevoked, budgetId = "" } = request;
  return {
    ...(accountId !== "" && { accountId }),
    ...(name !== undefined && { name }),
    ...(name === undefined && search !== undefined && { name: containing(search) }),
    ...(tag !== undefined && { tags: tag }),
    ...(budgetId !== "" && { budgetIds: budgetId }),
    ...(!includeRevoked && { revokedAt: null }),
    envelope: null,
  };
}

/** A list of models can have 200 KB. */
const storedBytesOf = ({ models, metadata = "" }: KeyDocument): number =>
  models.reduce((sum, { length }) => sum + length, metadata.length);

/** The cursor after a row of a list sorted by name: its id followed by its name. */
function nameCursor({ _id, name }: KeyDocument): string {
  return Buffer.from(`${_id} ${name}`).toString("base64url");
}

function readNamePlace(cursor: string): { id: string; name: string } | undefined {
  if (cursor === "") return undefined;
  const [, id, name] = /^([\w:.-]{1,300}) (.{0,400})$/s.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (id !== undefined && name !== undefined) return { id, name };
  throw new GatewayError("invalid_request", "The cursor is invalid.", { param: "page.cursor" });
}

async function byName({ store }: Billing, request: ListKeysRequest, step: 1 | -1): Promise<ListKeysResponse> {
  const { limit } = readPage({ limit: request.page?.limit ?? 0, cursor: "" });
  const place = readNamePlace(request.page?.cursor ?? "");
  const beyond = step === 1 ? "$gt" : "$lt";
  const following = place && {
    $and: [{ $or: [{ name: { [beyond]: place.name } }, { name: place.name, _id: { [beyond]: place.id } }] }],
  };
  const found = await store.keys
    .find({ ...filterOf(request), ...following })
    .sort({ name: step, _id: step })
    .limit(limit + 1)
    .maxTimeMS(maxTimeMS)
    .lean<KeyDocument[]>()
    .cursor({ batchSize: longRowsAtOnce });
  const { rows, nextCursor } = await readLongRows(found, limit, { cursorOf: nameCursor, sizeOf: storedBytesOf }).catch(
    refuseLongSearch(searchOf(request)),
  );
  return { keys: rows.map(keyMessage), nextCursor };
}

/** Ids sort by creation time. */
async function byTime({ store }: Billing, request: ListKeysRequest, step: 1 | -1): Promise<ListKeysResponse> {
  const { limit, after } = readPage(request.page);
  const beyond = step === 1 ? "$gt" : "$lt";
  const found = await store.keys
    .find({ ...filterOf(request), ...(after !== "" && { _id: { [beyond]: after } }) })
    .sort({ _id: step })
    .limit(limit + 1)
    .maxTimeMS(maxTimeMS)
    .lean<KeyDocument[]>()
    .cursor({ batchSize: longRowsAtOnce });
  const cursorOf = ({ _id }: KeyDocument): string => idCursor(_id);
  const { rows, nextCursor } = await readLongRows(found, limit, { cursorOf, sizeOf: storedBytesOf }).catch(
    refuseLongSearch(searchOf(request)),
  );
  return { keys: rows.map(keyMessage), nextCursor };
}

/**
 * Keys, newest first unless another order is requested. A cursor is valid only for the order it was
 * issued for.
 */
export async function listKeys(billing: Billing, request: ListKeysRequest): Promise<ListKeysResponse> {
  const sort = sortOf(request);
  const step = sort.startsWith("-") ? -1 : 1;
  return sort.endsWith("name") ? byName(billing, request, step) : byTime(billing, request, step);
}
