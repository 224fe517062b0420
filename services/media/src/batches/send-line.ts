import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { errorText } from "@uag/contract/errors/shapes";
import { LinkError, type LinkErrorCode } from "@uag/link/errors";
import { ResponseStream } from "@uag/link/response-stream";
import type { Callers } from "@uag/pipeline/callers";
import { outcomeOf } from "@uag/pipeline/outcome";
import { newId } from "@uag/runtime/ids";
import type { BufferBudget } from "@uag/untrusted/buffer-budget";
import type { BatchDocument, Ending } from "./batch.ts";
import { type BatchLinks, targetOf } from "./endpoints.ts";
import type { LineResponse } from "./line-response.ts";
import type { BatchRequest } from "./read-line.ts";
import { lineKey } from "./result-line.ts";

/** What lines are sent with. */
export interface LineContext {
  readonly links: BatchLinks;
  readonly callers: Callers;
  /** Accounts for responses. */
  readonly buffers: BufferBudget;
  /** The database's time, Unix milliseconds. */
  readonly now: () => number;
  /** Unit of delays between retries; 1 outside of tests. */
  readonly waitScale: number;
}

/** A line to send. */
export interface Sending {
  readonly batch: BatchDocument;
  readonly request: BatchRequest;
  readonly number: number;
  /** Aborts when this worker must leave the batch: the line's result is not needed here. */
  readonly signal: AbortSignal;
  /** Aborts when the line need not be tried again. */
  readonly stop: AbortSignal;
}

/** What became of a line. */
export type LineOutcome =
  | { readonly kind: "response"; readonly response: LineResponse }
  /** It has no result, and no other line of the batch can have one. */
  | { readonly kind: "ended"; readonly ending: Ending }
  /** It was still to be retried when the batch was stopped. */
  | { readonly kind: "stopped" };

const requestMs = 15 * 60_000;
const unreachableMs = 1_000;

/**
 * Sends a line until it has a result. Every attempt has the same idempotency key, also those of
 * another worker, so that at most one is billed.
 * @throws the signal's reason
 */
export async function sendLine(context: LineContext, sending: Sending): Promise<LineOutcome> {
  const { signal, stop, number } = sending;
  for (let failures = 0; ; ) {
    signal.throwIfAborted();
    const tried = await attempt(context, sending);
    if (tried.kind === "unusable") return { kind: "ended", ending: { ...tried.ending, line: number } };
    let waitMs = unreachableMs;
    if (tried.kind === "response") {
      const { response } = tried;
      const outcome = outcomeOf(response, failures, context.now());
      if (outcome.kind === "final") return tried;
      if (outcome.kind === "stop") return { kind: "ended", ending: { ...endingFrom(response), line: number } };
      if (response.status !== 429 && response.status !== 503 && response.status !== 409) failures++;
      waitMs = outcome.waitMs;
    } else if (!reopens.has(tried.code) && ++failures > maxBroken)
      return { kind: "response", response: tried.response };
    if (stop.aborted) return { kind: "stopped" };
    await sleep(waitMs * context.waitScale, undefined, { signal: AbortSignal.any([signal, stop]) }).catch(() => {});
    signal.throwIfAborted();
    if (stop.aborted) return { kind: "stopped" };
  }
}

type Attempt =
  | { readonly kind: "response"; readonly response: LineResponse }
  | { readonly kind: "unusable"; readonly ending: Ending }
  | { readonly kind: "unreachable"; readonly code: LinkErrorCode; readonly response: LineResponse };

/** The service may be restarting: another attempt reaches it. */
const reopens: ReadonlySet<LinkErrorCode> = new Set(["unsent", "unavailable", "broken", "closed", "aborted"]);
const maxBroken = 3;

/** What a line without a response has instead. */
function unreachable(code: LinkErrorCode, requestId: string): Attempt {
  const cause = new Error(`the connection to the service ended: ${code}`);
  const error = new GatewayError("internal_error", undefined, { cause });
  const body = Buffer.from(errorText("nested", { error, requestId }));
  const headers = ["content-type", "application/json"];
  return { kind: "unreachable", code, response: { status: error.httpStatus, headers, requestId, body } };
}

async function attempt(context: LineContext, { batch, request, number, signal }: Sending): Promise<Attempt> {
  const requestId = newId("req");
  const state = await context.callers.state(batch).catch(() => undefined);
  if (state === undefined) return unreachable("unavailable", requestId);
  if (state.kind === "unusable") {
    const { kind, code, message } = state;
    return { kind, ending: { status: "failed", code, message } };
  }
  const { link, operation } = targetOf(context.links, batch.endpoint);
  const body = Buffer.from(JSON.stringify(request.body));
  using lease = context.buffers.open(batch.accountId);
  const stream = ResponseStream.open(
    link,
    {
      operation,
      requestId,
      target: batch.endpoint,
      headers: [
        "content-type",
        "application/json",
        "content-length",
        String(body.length),
        "idempotency-key",
        lineKey(batch, number),
        ...(batch.betas === undefined ? [] : ["anthropic-beta", batch.betas]),
      ],
      context: state.context,
      affinity: batch.accountId,
      deadlineMs: requestMs,
      signal,
    },
    body,
  );
  try {
    const { status, headers } = await stream.head;
    const chunks: Buffer[] = [];
    for await (const chunk of stream) {
      await lease.grow(chunk.length, signal);
      chunks.push(chunk);
    }
    return { kind: "response", response: { status, headers, requestId, body: Buffer.concat(chunks) } };
  } catch (error) {
    if (error instanceof LinkError) return unreachable(error.code, requestId);
    throw error;
  }
}

/** What the response that ends a batch reports. */
function endingFrom({ status, body }: LineResponse): Ending {
  const { error } = JSON.parse(body.toString()) as {
    error?: { type?: unknown; code?: unknown; message?: unknown };
  };
  const {
    type = "request_refused",
    code = type,
    message = `A request was refused with status ${status}.`,
  } = error ?? {};
  return { status: "failed", code: String(code), message: String(message) };
}
