import { readFile } from "node:fs/promises";
import type { Provider, Transport } from "@uag/catalog/types";
import { retryAfterMs } from "@uag/untrusted/http/retry-after";
import { type FailureKind, UpstreamFailure } from "../failure.ts";
import { type HttpResponse, send } from "../http/call.ts";
import type { HttpPools } from "../http/pools.ts";
import { redact } from "../redact.ts";
import { refusalIn } from "./refusal.ts";

/** Tokens of a user with many groups have some 16 KiB. */
const maxBytes = 64 * 1024;
const timeouts = { connectMs: 5_000, firstByteMs: 15_000, betweenChunksMs: 5_000, totalMs: 20_000 };

export const formHeaders = ["content-type", "application/x-www-form-urlencoded"];

/** A request to who grants credentials. */
export interface GrantRequest {
  /** Who it is, for messages. */
  readonly issuer: string;
  readonly url: string;
  /** Default: POST with a body, else GET. */
  readonly method?: "GET" | "POST" | "PUT";
  /** Names and values alternating. */
  readonly headers?: readonly string[];
  readonly body?: string | undefined;
  /**
   * `public`: an operator may have set the URL, so only a public address may be called. `configured`: the catalogue
   * or the services' environment has it. `machine`: it is a server of the machine, which no proxy reaches.
   */
  readonly at: "public" | "configured" | "machine";
  /** What to do when it refuses or cannot be reached, as a sentence. */
  readonly remedy?: string;
}

/** Returns the body of a successful response. @throws {UpstreamFailure} `operator` when the credential is refused */
export type Ask = (request: GrantRequest) => Promise<string>;

/** The provider's proxy, unless the machine itself is asked; the provider's certificates are not those of an authority. */
function transportOf({ proxy: own }: Transport, at: GrantRequest["at"]): Transport {
  const files = { caFile: undefined, certFile: undefined, keyFile: undefined };
  const proxy = at === "machine" ? "none" : own;
  const guarded = at === "public";
  const id = `grant ${guarded} ${proxy ?? ""}`;
  return { id, proxy, ...files, maxConnections: 4, maxQueued: 64, guarded };
}

/** Requests on behalf of a provider: by its proxy, and without its secrets in messages. */
export function asking(pools: HttpPools, provider: Provider): Ask {
  return async (request) => {
    const { url, method, headers = [], body, at, issuer, remedy } = request;
    const { origin, pathname, search } = new URL(url);
    try {
      const response = await send(pools, {
        origin,
        path: pathname + search,
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: [...headers],
        body: body === undefined ? undefined : Buffer.from(body),
        timeouts,
        transport: transportOf(provider.transport, at),
        // Calls share what is granted, so none of their clients ends its fetch.
        signal: new AbortController().signal,
      });
      const text = (await response.read(maxBytes)).toString("utf8");
      if (response.status !== 200) throw refusal(response, text, { request, provider });
      return text;
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || error.reported !== undefined || remedy === undefined) throw error;
      throw unreached(error, `${issuer} did not respond: ${error.message}. ${remedy}`);
    }
  };
}

const report = (message: string, code?: string) => ({ message, code, type: undefined, param: undefined });

function unreached(cause: UpstreamFailure, text: string): UpstreamFailure {
  return new UpstreamFailure(cause.kind, text, { status: cause.status, reported: report(text), cause });
}

function kindOf(status: number): FailureKind {
  if (status === 429) return "capacity";
  if (status === 408 || status >= 500) return "transient";
  return "operator";
}

function refusal(
  response: HttpResponse,
  text: string,
  { request: { issuer, remedy }, provider }: { request: GrantRequest; provider: Provider },
): UpstreamFailure {
  const { status } = response;
  const { code, message = code ?? `status ${status}` } = refusalIn(text);
  const [line = ""] = message.split(/[\r\n]/, 1);
  const refused = `${issuer} refused the credential: ${line}`;
  const whole = remedy === undefined ? refused : `${refused.replace(/\.$/, "")}. ${remedy}`;
  return new UpstreamFailure(kindOf(status), `${issuer} returned ${status}`, {
    status,
    reported: report(redact(whole, provider), code),
    retryAfterMs: retryAfterMs((name) => response.header(name), Date.now()),
  }).of(response);
}

/** A response that does not have what was asked for. */
export const nothingGranted = (issuer: string, what: string): UpstreamFailure =>
  new UpstreamFailure("transient", `${issuer} sent no ${what}`, { status: 200 });

/**
 * The content of a file that the platform renews, such as a service account's token; it is read for each grant.
 * @throws {UpstreamFailure} `operator` when it cannot be read, is empty or has more than 64 KiB
 */
export async function platformFile(path: string): Promise<string> {
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => error);
  const fault = Buffer.isBuffer(content) ? faultOf(content) : `it cannot be read: ${content.code}`;
  if (fault === undefined) return content.toString().trim();
  const text = `The token file ${path} is not usable: ${fault}. Mount the token that the platform issues for the service.`;
  throw new UpstreamFailure("operator", text, { reported: report(text) });
}

function faultOf(content: Buffer): string | undefined {
  if (content.length > maxBytes) return "it has more than 64 KiB";
  return content.toString().trim() === "" ? "it is empty" : undefined;
}
