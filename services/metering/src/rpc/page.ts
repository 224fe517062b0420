import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { PageRequest } from "@uag/proto/common/v1/page.ts";
import type { UsageFilter } from "@uag/proto/metering/v1/metering.ts";
import { z } from "zod";

const preset = 100;
const most = 1_000;
const place = z.tuple([z.number().int(), z.string()]);

export interface Page {
  readonly limit: number;
  /** The last row of the page before: its time in unix milliseconds, and its id. */
  readonly after: readonly [ms: number, id: string] | undefined;
}

/** @throws {GatewayError} `invalid_request` */
export function readPage(page: PageRequest | undefined): Page {
  const limit = page?.limit || preset;
  if (limit < 1 || limit > most) {
    throw new GatewayError("invalid_request", `limit is between 1 and ${most}.`, { param: "limit" });
  }
  if (!page?.cursor) return { limit, after: undefined };
  try {
    return { limit, after: place.parse(JSON.parse(Buffer.from(page.cursor, "base64url").toString())) };
  } catch (error) {
    throw new GatewayError("invalid_request", "The cursor is not one of ours.", { param: "cursor", cause: error });
  }
}

export function writeCursor(ms: number, id: string): string {
  return Buffer.from(JSON.stringify([ms, id])).toString("base64url");
}

export interface NameFilter {
  accountId?: string;
  keyId?: string;
  model?: string;
  operation?: string;
}

/** The names that are asked for; an empty one matches all. */
export function namesOf(filter: UsageFilter | undefined): NameFilter {
  const { accountId = "", keyId = "", model = "", operation = "" } = filter ?? {};
  return {
    ...(accountId && { accountId }),
    ...(keyId && { keyId }),
    ...(model && { model }),
    ...(operation && { operation }),
  };
}

/** From (inclusive) and until (exclusive). @throws {GatewayError} `invalid_request` */
export function timesOf(filter: UsageFilter | undefined, nowMs: number): { from: Date; until: Date } {
  const from = new Date(Number(filter?.fromMs ?? 0n));
  const until = new Date(filter?.untilMs ? Number(filter.untilMs) : nowMs + 1);
  if (Number.isNaN(from.getTime()) || Number.isNaN(until.getTime())) {
    throw new GatewayError("invalid_request", "The times are unix milliseconds.", { param: "filter.from_ms" });
  }
  return { from, until };
}
