import { isIP } from "node:net";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { Agent, request } from "undici";
import { PublicNames } from "./public-names.ts";
import { UrlError } from "./url-error.ts";
import { hostOf, UrlGuard } from "./url-guard.ts";

/** What a {@link GuardedClient} may reach, and how it resolves names. */
export interface GuardedClientOptions {
  /** `host:port` pairs exempt from the guard, plain http included. Only for development. */
  allow: readonly string[];
  /** Milliseconds. Default 5,000. */
  connectTimeoutMs?: number;
  /** Addresses of the name servers for users' hostnames; default: the system's. */
  nameServers?: readonly string[];
}

/** One call of a {@link GuardedClient}, with its bounds on time and size. */
export interface GuardedRequest {
  method?: "GET" | "HEAD" | "POST";
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Bounds the whole call, redirects and body included. */
  timeoutMs: number;
  /** A longer response body fails with `too_large`. */
  maxBytes: number;
  /**
   * Called with the size of each piece of the body before it is kept; no more is read until its
   * promise is fulfilled, and throwing ends the call with that error.
   */
  take?: (bytes: number) => Promise<void> | undefined | void;
  /** On whose behalf: each owner may have a few DNS lookups at a time. */
  owner?: string;
  /**
   * Only the response head matters: at most `maxBytes` of a body are read and discarded, without
   * waiting for them.
   */
  headOnly?: boolean;
  /** Default 0: a redirect is returned as is. */
  maxRedirects?: number;
  signal?: AbortSignal;
}

/** A completely read response with any status. */
export interface GuardedResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** An HTTP client for URLs that come from users: https only, to public addresses only. */
export interface GuardedClient extends AsyncDisposable {
  /** @throws {UrlError} */
  fetch(url: string, options: GuardedRequest): Promise<GuardedResponse>;
  /** Checks a URL's form without calling it. @throws {UrlError} */
  parse(url: string): URL;
  /** True for a web URL whose host is an address, or a name, that is not on the public internet. */
  leadsInside(text: string): boolean;
}

const tooLarge = (maxBytes: number): UrlError =>
  new UrlError("too_large", `The URL's content is larger than ${maxBytes} bytes.`);

async function readBody({ maxBytes, take }: GuardedRequest, stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    await take?.(part.length);
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}

/**
 * Creates a client that connects to public addresses only. Each address is checked when the
 * connection is made, so a name that resolves differently the second time (DNS rebinding) gains
 * nothing.
 */
export function createGuardedClient(options: GuardedClientOptions): GuardedClient {
  const guard = new UrlGuard(options.allow);
  const timeout = options.connectTimeoutMs ?? 5_000;
  const names = new PublicNames(options.nameServers === undefined ? {} : { nameServers: options.nameServers });
  const maxHeaderSize = 32 * 1024;
  const guarded = new Agent({ connect: { lookup: names.lookup, timeout }, maxHeaderSize });
  const exempt = new Agent({ connect: { timeout }, maxHeaderSize });

  const once = async (url: URL, call: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> => {
    const isExempt = guard.isExempt(url);
    const host = hostOf(url);
    // Every address is checked before connecting to one of them, so a name that resolves
    // differently the second time gains nothing. Literal addresses need no lookup.
    if (!isExempt && isIP(host) === 0) await names.resolve(host, signal, call.owner);
    const response = await request(url, {
      method: call.method ?? "GET",
      headers: call.headers ?? {},
      body: call.body ?? null,
      dispatcher: isExempt ? exempt : guarded,
      signal,
    });
    if (call.headOnly === true) {
      // Drained so that the connection can be reused; one that sends more, or slowly, is closed.
      response.body.dump({ limit: call.maxBytes, signal }).catch(() => undefined);
      return { status: response.statusCode, headers: response.headers, body: Buffer.alloc(0) };
    }
    if (Number(response.headers["content-length"]) > call.maxBytes) {
      response.body.on("error", () => {}).destroy();
      throw tooLarge(call.maxBytes);
    }
    const body = await readBody(call, response.body as AsyncIterable<Buffer>);
    return { status: response.statusCode, headers: response.headers, body };
  };

  const follow = async (text: string, call: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> => {
    let url = guard.parse(text);
    for (let redirects = 0; ; redirects++) {
      const response = await once(url, call, signal);
      const location = response.headers["location"];
      const redirected = response.status >= 300 && response.status < 400 && typeof location === "string";
      if (!redirected || (call.maxRedirects ?? 0) === 0) return response;
      if (redirects === call.maxRedirects) throw new UrlError("too_many_redirects", "The URL redirects too often.");
      url = guard.parse(URL.canParse(location, url.href) ? new URL(location, url.href).href : location);
    }
  };

  return {
    parse: (url) => guard.parse(url),
    leadsInside: (url) => guard.leadsInside(url),
    async fetch(url, call) {
      const deadline = AbortSignal.timeout(call.timeoutMs);
      const signal = call.signal === undefined ? deadline : AbortSignal.any([deadline, call.signal]);
      try {
        return await follow(url, call, signal);
      } catch (error) {
        throw toUrlError(error, deadline);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([guarded.close(), exempt.close()]);
    },
  };
}

function toUrlError(error: unknown, deadline: AbortSignal): UrlError | GatewayError {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof UrlError || at instanceof GatewayError) return at;
  }
  if (deadline.aborted) return new UrlError("timeout", "The URL did not respond in time.", error);
  return new UrlError("unreachable", "The URL cannot be reached.", error);
}
