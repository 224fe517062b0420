import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { isPublicAddress } from "./address.ts";

export type UrlFault =
  | "invalid_url"
  | "address_refused"
  | "unreachable"
  | "timeout"
  | "too_large"
  | "too_many_redirects";

/** Why a URL given by a user was not fetched. The message is fit for that user: it names no address. */
export class UrlError extends Error {
  override readonly name = "UrlError";
  readonly fault: UrlFault;
  constructor(fault: UrlFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

export interface GuardedClientOptions {
  /** `host:port` pairs that are exempt from the guard, plain http included. Only for development. */
  allow: readonly string[];
  /** Default 5,000. */
  connectTimeoutMs?: number;
}

export interface GuardedRequest {
  method?: "GET" | "HEAD" | "POST";
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** The whole call, redirects and body included. */
  timeoutMs: number;
  /** The answer's body is cut off with `too_large` beyond this many bytes. */
  maxBytes: number;
  /** The head is all that counts: at most `maxBytes` of a body are taken off the line, and nobody waits for them. */
  headOnly?: boolean;
  /** Default 0: a redirect is answered as it is. */
  maxRedirects?: number;
  signal?: AbortSignal;
}

export interface GuardedAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** An HTTP client for URLs that come from users: https only, to public addresses only. */
export interface GuardedClient extends AsyncDisposable {
  /**
   * @throws {UrlError}
   */
  fetch(url: string, options: GuardedRequest): Promise<GuardedAnswer>;
  /** Checks a URL's form without calling it. @throws {UrlError} */
  parse(url: string): URL;
}

const maxUrlLength = 8 * 1024;

function hostPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`;
}

/**
 * The name is resolved and every address checked at the moment of connecting, so a name that answers differently the
 * second time gains nothing.
 */
const guardedLookup: LookupFunction = (hostname, options, callback) => {
  dnsLookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, "", 0);
    const addresses = found as LookupAddress[];
    const refused = addresses.some(({ address }) => !isPublicAddress(address));
    if (refused || addresses[0] === undefined) {
      return callback(new UrlError("address_refused", "The URL's host is not a public address."), "", 0);
    }
    if (options.all) return (callback as unknown as (e: null, a: LookupAddress[]) => void)(null, addresses);
    return callback(null, addresses[0].address, addresses[0].family);
  });
};

async function readAtMost(maxBytes: number, stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > maxBytes) throw new UrlError("too_large", `The URL's content is larger than ${maxBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}

export function createGuardedClient(options: GuardedClientOptions): GuardedClient {
  const allow = new Set(options.allow);
  const timeout = options.connectTimeoutMs ?? 5_000;
  const guarded = new Agent({ connect: { lookup: guardedLookup, timeout }, maxHeaderSize: 32 * 1024 });
  const exempt = new Agent({ connect: { timeout } });

  const parse = (text: string): URL => {
    const url = text.length <= maxUrlLength && URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined) throw new UrlError("invalid_url", "The URL is not valid.");
    if (allow.has(hostPort(url)) && (url.protocol === "http:" || url.protocol === "https:")) return url;
    if (url.protocol !== "https:") throw new UrlError("invalid_url", "The URL must begin with https://.");
    if (url.username !== "" || url.password !== "") {
      throw new UrlError("invalid_url", "The URL must not carry a user name or password.");
    }
    // An address written as a literal is connected to without a look-up.
    const literal = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) !== 0 && !isPublicAddress(literal)) {
      throw new UrlError("address_refused", "The URL's host is not a public address.");
    }
    return url;
  };

  const once = async (url: URL, call: GuardedRequest, signal: AbortSignal): Promise<GuardedAnswer> => {
    const answer = await request(url, {
      method: call.method ?? "GET",
      headers: call.headers ?? {},
      body: call.body ?? null,
      dispatcher: allow.has(hostPort(url)) ? exempt : guarded,
      signal,
    });
    if (call.headOnly === true) {
      // Read away so that the connection can be used again; one that sends more, or slowly, is closed.
      answer.body.dump({ limit: call.maxBytes, signal }).catch(() => undefined);
      return { status: answer.statusCode, headers: answer.headers, body: Buffer.alloc(0) };
    }
    const body = await readAtMost(call.maxBytes, answer.body as AsyncIterable<Buffer>);
    return { status: answer.statusCode, headers: answer.headers, body };
  };

  const follow = async (text: string, call: GuardedRequest, signal: AbortSignal): Promise<GuardedAnswer> => {
    let url = parse(text);
    for (let redirects = 0; ; redirects++) {
      const answer = await once(url, call, signal);
      const location = answer.headers["location"];
      const redirected = answer.status >= 300 && answer.status < 400 && typeof location === "string";
      if (!redirected || (call.maxRedirects ?? 0) === 0) return answer;
      if (redirects === call.maxRedirects) throw new UrlError("too_many_redirects", "The URL redirects too often.");
      url = parse(URL.canParse(location, url.href) ? new URL(location, url.href).href : location);
    }
  };

  return {
    parse,
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

function toUrlError(error: unknown, deadline: AbortSignal): UrlError {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof UrlError) return at;
  if (deadline.aborted) return new UrlError("timeout", "The URL did not answer in time.", error);
  return new UrlError("unreachable", "The URL cannot be reached.", error);
}
