import { UserError } from "@uag/local/terminal/step";
import { boundedText } from "@uag/runtime/http/bounded-text";
import { z } from "zod";

const listing = z.object({ data: z.array(z.unknown()), has_more: z.boolean(), next_cursor: z.string().nullable() });
const failure = z.object({ error: z.object({ message: z.string() }) });
const timeoutMs = 60_000;
const pageLimit = "1000";
/** Of a page or a record. */
const maxResponseBytes = 64 * 1024 * 1024;

export type Query = Readonly<Record<string, string | undefined>>;

/** Where the admin API is, and the token for it. */
export interface AdminAddress {
  readonly admin_url: string;
  readonly admin: { readonly token: string };
}

/** A gateway's admin API, on its operator port. */
export interface AdminApi {
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** All rows of a listing, across its pages. */
  rows(path: string, query?: Query): AsyncGenerator<unknown>;
  /** Opens a streamed response. */
  open(path: string, query?: Query): Promise<Response>;
}

/** A path with those of the query's fields that are set. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

async function jsonOf({ body }: Response): Promise<unknown> {
  return JSON.parse(await boundedText(body, maxResponseBytes));
}

/** @throws {UserError} with the API's message, or if it is unreachable */
async function send(run: AdminAddress, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${run.admin.token}`, "content-type": "application/json" };
  const response = await fetch(`${run.admin_url}${path}`, { ...init, headers }).catch((error: unknown) => {
    throw new UserError(
      `The admin API at ${run.admin_url} is unreachable: ${error instanceof Error ? error.message : error}`,
    );
  });
  if (response.ok) return response;
  const reported = failure.safeParse(await jsonOf(response).catch(() => undefined));
  throw new UserError(reported.success ? reported.data.error.message : `The admin API responded ${response.status}.`);
}

export function adminApi(run: AdminAddress): AdminApi {
  const signal = (): AbortSignal => AbortSignal.timeout(timeoutMs);
  return {
    async call(method, path, body) {
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      return await jsonOf(await send(run, path, { method, signal: signal(), ...text }));
    },
    async *rows(path, query = {}) {
      for (let after: string | undefined; ; ) {
        const response = await send(run, withQuery(path, { limit: pageLimit, ...query, after }), { signal: signal() });
        const page = listing.parse(await jsonOf(response));
        yield* page.data;
        if (!page.has_more || page.next_cursor === null) return;
        after = page.next_cursor;
      }
    },
    open: (path, query = {}) => send(run, withQuery(path, query)),
  };
}
