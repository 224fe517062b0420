import { GatewayError } from "@uag/contract/errors/gateway-error";

/** A requested page: `limit` 0 means the default, `cursor` "" the beginning. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor: string;
}

/** The rows of one page. */
export interface Page<R> {
  readonly rows: R[];
  /** Cursor of the next page; "" when there is none. */
  readonly nextCursor: string;
}

/** A position in rows ordered by time and then id. */
export interface TimePlace {
  readonly at: Date;
  readonly id: string;
}

const defaultLimit = 100;
const maxLimit = 1_000;
/** Of a page with long rows: what takes about 10 ms to encode. */
const maxPageBytes = 1024 * 1024;
/** Rows to read from the database at a time where they may be long. */
export const longRowsAtOnce = 100;
const idPattern = /^[\w:.-]{0,300}$/;
const timePlacePattern = /^(\d{1,15}) (.{1,400})$/s;

const encode = (place: string): string => Buffer.from(place).toString("base64url");
const decode = (cursor: string): string => Buffer.from(cursor, "base64url").toString();

function notOurs(): GatewayError {
  return new GatewayError("invalid_request", "The cursor is invalid.", { param: "page.cursor" });
}

/** @throws {GatewayError} `invalid_request` outside 1 to 1,000 rows */
function readLimit(page: PageRequest | undefined): number {
  const limit = page?.limit || defaultLimit;
  if (limit >= 1 && limit <= maxLimit) return limit;
  throw new GatewayError("invalid_request", `A page can have 1 to ${maxLimit} rows.`, { param: "page.limit" });
}

/**
 * Parses a page of rows ordered by id.
 * @returns `after`: the id of the previous page's last row, "" at the beginning
 * @throws {GatewayError} `invalid_request` for a limit outside 1 to 1,000, and for a cursor that is
 * not one of ours
 */
export function readPage(page: PageRequest | undefined): { limit: number; after: string } {
  const after = decode(page?.cursor ?? "");
  if (!idPattern.test(after)) throw notOurs();
  return { limit: readLimit(page), after };
}

/**
 * Parses a page of rows ordered by time and then id, which may be any text.
 * @returns `after`: where the previous page ended, undefined at the beginning
 * @throws {GatewayError} `invalid_request`, as {@link readPage}
 */
export function readTimedPage(page: PageRequest | undefined): { limit: number; after: TimePlace | undefined } {
  const limit = readLimit(page);
  if (!page?.cursor) return { limit, after: undefined };
  const [, ms, id] = timePlacePattern.exec(decode(page.cursor)) ?? [];
  if (ms === undefined || id === undefined) throw notOurs();
  return { limit, after: { at: new Date(Number(ms)), id } };
}

/** The cursor after a row that is ordered by time. */
export function timedCursor(at: Date, id: string): string {
  return encode(`${at.getTime()} ${id}`);
}

/**
 * Drops the one extra row that was fetched (`limit + 1`).
 * @param cursorOf the cursor after a row
 */
export function toPage<R>(found: readonly R[], limit: number, cursorOf: (row: R) => string): Page<R> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, nextCursor: last === undefined ? "" : cursorOf(last) };
}

/**
 * Reads a page of rows that may be long: at most `limit`, and fewer if they exceed 1 MiB together.
 * @param found opened for one row more than the limit
 * @param sizeOf a row's approximate size, bytes
 */
export async function readLongRows<R>(
  found: AsyncIterable<R>,
  limit: number,
  { cursorOf, sizeOf }: { readonly cursorOf: (row: R) => string; readonly sizeOf: (row: R) => number },
): Promise<Page<R>> {
  const rows: R[] = [];
  let bytes = 0;
  for await (const row of found) {
    const size = sizeOf(row);
    const last = rows.at(-1);
    if (last !== undefined && (rows.length === limit || bytes + size > maxPageBytes))
      return { rows, nextCursor: cursorOf(last) };
    rows.push(row);
    bytes += size;
  }
  return { rows, nextCursor: "" };
}

/** The cursor after a row that is ordered by id. */
export const idCursor = (id: string): string => encode(id);

/** Like {@link toPage}, for rows ordered by id. */
export function toPageById<R>(found: readonly R[], limit: number, idOf: (row: R) => string): Page<R> {
  return toPage(found, limit, (row) => encode(idOf(row)));
}
