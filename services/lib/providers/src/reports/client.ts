import { setTimeout as sleep } from "node:timers/promises";
import type { Timeouts, Transport } from "@uag/catalog/types";
import { parseExactJson } from "@uag/untrusted/json/exact";
import { z } from "zod";
import { UpstreamFailure } from "../failure.ts";
import { send } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { ReportError } from "./types.ts";

const timeouts: Timeouts = { connectMs: 5_000, firstByteMs: 60_000, betweenChunksMs: 30_000, totalMs: 120_000 };
const connection = { caFile: undefined, certFile: undefined, keyFile: undefined, maxConnections: 4, maxQueued: 64 };
const transport: Transport = { id: "reports", proxy: undefined, guarded: false, ...connection };

const maxPageBytes = 16 * 1024 * 1024;
const maxPages = 200;
const maxTries = 3;
const retryMs = 1_000;
const maxRetryMs = 30_000;

const pageOf = <T extends z.ZodType>(bucket: T) =>
  z.object({ data: z.array(bucket), has_more: z.boolean(), next_page: z.string().nullish() });

/** How an administrative API of a provider is reached. */
export interface ReportAccess {
  readonly pools: HttpPools;
  /** The provider's name, for errors. */
  readonly provider: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Names and values alternating, with the admin key. */
  readonly headers: readonly string[];
  /** The setting that holds the admin key, for errors. */
  readonly keySetting: string;
}

/**
 * Reads all pages of a report. Rate limits and server errors are retried.
 * @throws {ReportError} also for more than 200 pages, a page above 16 MiB, or an unknown form
 */
export async function readReport<T extends z.ZodType>(
  access: ReportAccess,
  request: { path: string; query: URLSearchParams; bucket: T; signal: AbortSignal },
): Promise<z.infer<T>[]> {
  const buckets: z.infer<T>[] = [];
  const query = new URLSearchParams(request.query);
  const schema = pageOf(request.bucket);
  for (let pages = 0; pages < maxPages; pages++) {
    const text = await readPage(access, `${request.path}?${query}`, request.signal);
    const page = schema.safeParse(parsed(access, request.path, text));
    if (!page.success) throw unknownForm(access, request.path, z.prettifyError(page.error));
    buckets.push(...(page.data.data as z.infer<T>[]));
    if (!page.data.has_more) return buckets;
    const next = page.data.next_page ?? "";
    if (next === "" || next === query.get("page"))
      throw unknownForm(access, request.path, "has_more is true, but next_page is missing or repeated");
    query.set("page", next);
  }
  throw new ReportError(`${access.provider}'s report ${request.path} has more than ${maxPages} pages.`);
}

function parsed(access: ReportAccess, path: string, text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw unknownForm(access, path, "not JSON");
  }
}

function unknownForm({ provider }: ReportAccess, path: string, why: string): ReportError {
  return new ReportError(`${provider}'s report ${path} does not have the documented form: ${why}.`);
}

async function readPage(access: ReportAccess, path: string, signal: AbortSignal): Promise<string> {
  for (let tries = 1; ; tries++) {
    const response = await readOnce(access, path, signal);
    if (response.status === 200) return response.text;
    const mayRetry = response.status === 429 || response.status >= 500;
    if (!mayRetry || tries === maxTries) throw refused(access, path, response.status);
    await sleep(Math.min(response.retryAfterMs ?? retryMs * 2 ** tries, maxRetryMs), undefined, { signal });
  }
}

async function readOnce({ pools, provider, baseUrl, headers }: ReportAccess, path: string, signal: AbortSignal) {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/(?<!\/)\/+$/, "");
  const call = { origin, path: `${prefix}${path}`, method: "GET", headers, body: undefined } as const;
  try {
    const response = await send(pools, { ...call, timeouts, transport, signal });
    const seconds = Number(response.header("retry-after") ?? Number.NaN);
    const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
    return { status: response.status, retryAfterMs, text: (await response.read(maxPageBytes)).toString() };
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    throw new ReportError(`${provider} could not be read: ${error.message}.`, { cause: error });
  }
}

function refused({ provider, keySetting }: ReportAccess, path: string, status: number): ReportError {
  const report = path.split("?", 1)[0];
  if (status === 401 || status === 403)
    return new ReportError(
      `${provider} refused the admin key (${status} for ${report}). Set ${keySetting} to an admin key of the organization; an API key for models cannot read reports.`,
    );
  return new ReportError(`${provider} returned status ${status} for ${report}.`);
}
