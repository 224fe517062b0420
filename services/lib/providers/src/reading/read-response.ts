import { joined } from "@uag/untrusted/joined";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import { parsedJson } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import { BoundedBody } from "../http/bounded-body.ts";
import type { HttpResponse } from "../http/call.ts";
import { bodyKind, withoutMark } from "./body-kind.ts";
import { foundUsage, type UsageIn } from "./found-usage.ts";
import { readableText } from "./readable-text.ts";

/** A larger body is not parsed again to see why it could not be read. */
const smallBytes = 1024 * 1024;
/** White space that may follow a body. */
const lastBytes = 64;

export interface Reading<T> {
  /** A longer body is not read; it is still billed. */
  readonly maxBytes: number;
  /** Accounts for the body. */
  readonly memory: ResponseMemory | undefined;
  readonly usageIn: UsageIn;
  /** Interprets the complete body; a large one in turns. @throws {UpstreamFailure} */
  decode(body: Buffer): T | Promise<T>;
}

/**
 * Reads a response that is not streamed.
 * @throws {UpstreamFailure} with what the upstream charges for the response, if it does
 */
export async function readResponse<T>(response: HttpResponse, reading: Reading<T>): Promise<T> {
  let body: Buffer;
  try {
    body = await response.read(reading.maxBytes, reading.memory);
  } catch (error) {
    return await salvaged(error, reading);
  }
  return await decoded(body, reading);
}

/**
 * Reads a response that is not streamed from its chunks.
 * @throws {UpstreamFailure} with what the upstream charges for the response, if it does
 */
export async function readChunks<T>(
  chunks: AsyncIterable<Buffer>,
  { signal, ...reading }: Reading<T> & { readonly signal: AbortSignal },
): Promise<T> {
  const { maxBytes, memory } = reading;
  const body = new BoundedBody(maxBytes);
  let taken = 0;
  try {
    for await (const chunk of chunks) {
      body.add(chunk);
      if (body.isHopeless) break;
      if (body.isTooLong) continue;
      taken += chunk.length;
      await memory?.take(chunk.length, signal);
    }
    if (body.isTooLong) throw body.failure();
  } catch (error) {
    memory?.give(taken);
    if (!(error instanceof UpstreamFailure)) throw error;
    return await salvaged(body.isTooLong ? body.failure() : error.with({ partial: body.bytes }), reading);
  }
  return await decoded(await joined(body.chunks), reading);
}

/**
 * Interprets a complete body.
 * @throws {UpstreamFailure} with what the upstream charges for the response, if it does
 */
export async function decoded<T>(
  body: Buffer,
  { decode, usageIn }: Pick<Reading<T>, "decode" | "usageIn">,
): Promise<T> {
  try {
    const kind = bodyKind(body);
    if (kind !== "json" && kind !== "events") throw notWritten(body);
    return await decode(withoutMark(body));
  } catch (error) {
    throw charged(error, body, usageIn);
  }
}

/** A proxy's page or text, which no model has written: it is free, and may be retried. */
function notWritten(body: Buffer): UpstreamFailure {
  const what = body.length === 0 ? "nothing" : body.includes("<") ? "a web page" : "text";
  return new UpstreamFailure("transient", `the upstream responded with ${what} instead of JSON`, { status: 200 });
}

/**
 * The response of a connection that broke after everything was received, as when a length is
 * announced wrongly; otherwise its failure.
 */
async function salvaged<T>(error: unknown, { decode, usageIn }: Reading<T>): Promise<T> {
  if (!(error instanceof UpstreamFailure) || error.partial === undefined) throw error;
  const { partial } = error;
  const complete = error.received === undefined && bodyKind(partial) === "json" && isComplete(partial);
  if (complete) return await decoded(partial, { decode, usageIn });
  const usage = foundUsage(partial, usageIn);
  throw usage === undefined ? error : error.with({ usage });
}

function charged(error: unknown, body: Buffer, usageIn: UsageIn): unknown {
  if (!(error instanceof UpstreamFailure) || error.usage !== undefined) return error;
  const usage = foundUsage(body, usageIn);
  if (usage !== undefined) return error.with({ usage });
  if (error.reported !== undefined || error.received !== undefined) return error;
  const text = bodyKind(body) === "other" ? "" : readableText([body]);
  return text !== "" || isBroken(body) ? error.with({ received: text }) : error;
}

/** Whether it began as a response, and cannot be parsed. */
function isBroken(body: Buffer): boolean {
  return bodyKind(body) === "json" && (body.length > smallBytes || !isObject(body));
}

/** Whether a body is an object; whether a large one ends as one. */
function isComplete(body: Buffer): boolean {
  return body.length > smallBytes
    ? body.subarray(-lastBytes).toString("latin1").trimEnd().endsWith("}")
    : isObject(body);
}

function isObject(body: Buffer): boolean {
  return parsedJson(withoutMark(body).toString("utf8")) !== undefined;
}
