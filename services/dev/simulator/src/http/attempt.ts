import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { hashOf } from "../content/hash.ts";
import type { PrefixCache } from "../content/prefix-cache.ts";
import type { AttemptCounter } from "../faults/attempts.ts";
import type { Faults } from "../faults/catalogue.ts";
import { overRate, type RateWindows, withRate } from "../faults/rate-windows.ts";
import { errorWithUsage, replyByFault } from "../faults/replies.ts";
import type { FaultRules } from "../faults/rules.ts";
import type { TruthLog } from "../log/truth-log.ts";
import type { TaskStore } from "../tasks/store.ts";
import { type ReadRequest, readRequest } from "./request.ts";
import type { Match } from "./router.ts";
import { type Call, Rejection, type Reply } from "./types.ts";

/** State shared by attempts. */
export interface AttemptContext {
  readonly rules: FaultRules;
  readonly attempts: AttemptCounter;
  readonly windows: RateWindows;
  readonly cache: PrefixCache;
  readonly tasks: TaskStore;
  readonly log: TruthLog;
  readonly baseFaults: Faults;
  /** Incremented for every id. */
  nextId(): number;
}

/** A parsed request and its response, not yet sent. */
export interface CallResult {
  readonly reply: Reply;
  readonly faults: Faults;
  readonly model: string | undefined;
  readonly requestedModel: string | undefined;
  /** Hash over provider, model and canonical body, independent of streaming. */
  readonly digest: string;
  readonly credential: string | undefined;
}

type Decided = Omit<CallResult, "reply">;

export interface Exchange {
  readonly match: Match;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly bytes: Buffer;
}

function masked(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const secret = new Set(["authorization", "api-key", "x-api-key", "x-goog-api-key", "x-amz-security-token", "cookie"]);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secret.has(name) ? "***" : value]));
}

/** The caller's own id of a request, from `x-request-id` or `x-client-request-id`. */
export function callerRequestId(headers: IncomingHttpHeaders): string | undefined {
  const value = headers["x-request-id"] ?? headers["x-client-request-id"];
  return Array.isArray(value) ? value[0] : value;
}

function callOf(context: AttemptContext, exchange: Exchange, parts: Decided & { read: ReadRequest }): Call {
  const { faults, digest } = parts;
  return {
    params: parts.read.params,
    origin: `http://${exchange.request.headers.host ?? "127.0.0.1"}`,
    path: exchange.url.pathname,
    requestId: callerRequestId(exchange.request.headers),
    query: exchange.url.searchParams,
    headers: exchange.request.headers,
    get shownHeaders() {
      return masked(exchange.request.headers);
    },
    body: parts.read.body,
    model: parts.model,
    faults,
    digest,
    credential: parts.credential ?? "",
    cache: context.cache,
    tasks: context.tasks,
    served: () => context.log.entries(),
    newId: (prefix) => {
      const tail = faults["same-id"] === undefined ? context.nextId().toString(36).padStart(6, "0") : "000000";
      return `${prefix}${digest.slice(0, 18)}${tail}`;
    },
    created: faults["created-ms"] === undefined ? Math.floor(Date.now() / 1000) : Date.now(),
  };
}

async function replyTo(exchange: Exchange, call: Call, streams: boolean): Promise<Reply> {
  const { provider, route } = exchange.match;
  const { protocol } = provider;
  const reply = replyByFault(call, protocol, streams) ?? (await route.handle(call));
  return call.faults["ok-error-usage"] === undefined ? reply : errorWithUsage(reply, protocol);
}

/** Reads a request and decides its response: credential, body, faults, operation, in this order. */
export async function respondTo(context: AttemptContext, exchange: Exchange): Promise<CallResult> {
  const { match, request, url, bytes } = exchange;
  const { protocol } = match.provider;
  const { method = "", headers } = request;
  const query = url.searchParams;
  const credential = protocol.credential(headers, query, { method, path: url.pathname, query, headers, bytes });
  let response: Decided = {
    faults: {},
    model: undefined,
    requestedModel: undefined,
    digest: hashOf(match.provider.name, bytes),
    credential,
  };
  try {
    if (!credential && protocol.open === undefined) throw new Rejection(protocol.unauthorized(undefined));
    if (credential?.startsWith("bad-")) throw new Rejection(protocol.unauthorized(credential));
    const read = await readRequest({ match, method, path: url.pathname, bytes, headers });
    const target = { provider: match.provider.name, path: url.pathname, model: read.model, key: credential };
    const fromRules = context.rules.apply(target);
    const digest = hashOf(match.provider.name, read.model ?? "", read.identity);
    const faults = context.attempts.faultsOf({ ...context.baseFaults, ...fromRules, ...read.faults }, digest);
    response = { ...response, faults, digest, model: read.model, requestedModel: read.requestedModel };
    const standing =
      faults.rate === undefined ? undefined : context.windows.take(`${target.provider} ${credential}`, faults);
    if (standing?.over) return { ...response, reply: overRate(protocol, standing) };
    const reply = await replyTo(exchange, callOf(context, exchange, { ...response, read }), read.streams);
    return { ...response, reply: standing === undefined ? reply : withRate(reply, protocol, standing) };
  } catch (cause) {
    if (cause instanceof Rejection) return { ...response, reply: cause.reply };
    throw cause;
  }
}
