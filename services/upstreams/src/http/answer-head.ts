import { headerOf } from "@uag/kit/http/header-of.ts";
import { malformedAnswer } from "./errors.ts";

/** How an answer's body ends (RFC 9112, 6.3). */
export type BodyFraming =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "until-close" };

export interface AnswerHead {
  readonly status: number;
  /** Name and value by turns, names in lower case. */
  readonly headers: readonly string[];
  readonly framing: BodyFraming;
  /** How long the connection may be kept for the next call, milliseconds. 0: not at all. */
  readonly keepMs: number;
}

/** What most servers allow; many close after 5 s, and a call that meets the closing is lost. */
const usualKeepMs = 4_000;
const longestKeepMs = 600_000;

const wellFormed = /^HTTP\/1\.[01] [1-9]\d\d(?: [^\r\n\0]*)?(?:\r\n[!#$%&'*+\-.^_`|~\dA-Za-z]+:[^\r\n\0]*)*$/;
const edgeSpace = /^[ \t]+|[ \t]+$/g;
const length = /^\d{1,15}$/;

function allOf(headers: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) values.push(headers[i + 1] as string);
  return values.flatMap((value) => value.split(",")).map((value) => value.replace(edgeSpace, "").toLowerCase());
}

/** @throws {UpstreamFailure} where RFC 9112 leaves open where the body ends: two readers could disagree about it. */
function framingOf(status: number, headers: readonly string[], minor: string): BodyFraming {
  if (status < 200 || status === 204 || status === 304) return { kind: "none" };
  const codings = allOf(headers, "transfer-encoding");
  const lengths = allOf(headers, "content-length");
  if (codings.length > 0) {
    if (codings.length > 1 || codings[0] !== "chunked") throw malformedAnswer("a transfer coding other than chunked");
    if (lengths.length > 0) throw malformedAnswer("both a length and a transfer coding");
    if (minor !== "1") throw malformedAnswer("a transfer coding in HTTP/1.0");
    return { kind: "chunked" };
  }
  const [first] = lengths;
  if (first === undefined) return { kind: "until-close" };
  if (!length.test(first) || lengths.some((value) => value !== first)) throw malformedAnswer("its content-length");
  return first === "0" ? { kind: "none" } : { kind: "length", bytes: Number(first) };
}

/** A server's hint is taken a second short, so that a call never meets the closing. */
function keepMsOf(headers: readonly string[], minor: string, framing: BodyFraming): number {
  if (minor !== "1" || framing.kind === "until-close") return 0;
  if (allOf(headers, "connection").includes("close")) return 0;
  const hint = /timeout=(\d{1,6})/i.exec(headerOf(headers, "keep-alive") ?? "")?.[1];
  if (hint === undefined) return usualKeepMs;
  return Math.min(Math.max(0, Number(hint) * 1_000 - 1_000), longestKeepMs);
}

/**
 * Reads an answer's head, without the empty line that ends it, by RFC 9112.
 * @throws {UpstreamFailure} `transient` when it is none, or does not say clearly where its body ends
 */
export function parseHead(bytes: Buffer): AnswerHead {
  const text = bytes.toString("latin1");
  if (!wellFormed.test(text)) throw malformedAnswer("its head");
  const lines = text.split("\r\n");
  const [first = ""] = lines;
  const headers: string[] = [];
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] as string;
    const colon = line.indexOf(":");
    headers.push(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).replace(edgeSpace, ""));
  }
  const status = Number(first.slice(9, 12));
  const minor = first[7] as string;
  const framing = framingOf(status, headers, minor);
  return { status, headers, framing, keepMs: keepMsOf(headers, minor, framing) };
}
