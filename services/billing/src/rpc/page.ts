import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { PageRequest } from "@uag/proto/common/v1/page.ts";

const presetLimit = 100;
const largestLimit = 1_000;
/** Ids and numbers: what cursors of ours are made of. */
const place = /^[\w:.-]{0,300}$/;

/** The page's size and the place where the last one ended, "" at the beginning. */
export function readPage(page: PageRequest | undefined): { limit: number; after: string } {
  const limit = page?.limit === undefined || page.limit === 0 ? presetLimit : page.limit;
  if (limit < 1 || limit > largestLimit) {
    throw new GatewayError("invalid_request", `A page has 1 to ${largestLimit} rows.`, { param: "page.limit" });
  }
  const after = Buffer.from(page?.cursor ?? "", "base64url").toString();
  if (!place.test(after)) {
    throw new GatewayError("invalid_request", "The cursor is not one of ours.", { param: "page.cursor" });
  }
  return { limit, after };
}

/** Cuts the one row too many that was asked for, and says where the next page begins: "" when there is none. */
export function cutPage<R>(rows: R[], limit: number, place: (row: R) => string): { rows: R[]; nextCursor: string } {
  if (rows.length <= limit) return { rows, nextCursor: "" };
  const kept = rows.slice(0, limit);
  return { rows: kept, nextCursor: Buffer.from(place(kept[limit - 1] as R)).toString("base64url") };
}
