import { AsyncLocalStorage } from "node:async_hooks";
import type { SpanContext } from "@opentelemetry/api";
import { headerOf } from "../http/header-of.ts";

export type { SpanContext };

/** https://www.w3.org/TR/trace-context/#traceparent-header; later versions may add parts. */
const shape = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const maxChars = 512;
const nothing = /^0+$/;
const sampledFlag = 1;

/** The span that a `traceparent` names; undefined when it is invalid, which starts a new trace. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  if (text === undefined || text.length > maxChars) return undefined;
  const [, traceId = "", spanId = "", flags = ""] = shape.exec(text) ?? [];
  if (nothing.test(traceId) || nothing.test(spanId) || traceId === "") return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & sampledFlag, isRemote: true };
}

/** The span that a request's headers name; undefined when they name none. */
export const callerSpanOf = (headers: readonly string[]): SpanContext | undefined =>
  parseTraceparent(headerOf(headers, "traceparent"));

/** True when the trace that it belongs to is recorded. */
export const isSampled = (span: SpanContext | undefined): span is SpanContext =>
  span !== undefined && (span.traceFlags & sampledFlag) !== 0;

/** A span in the format of the `traceparent` header. */
export const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;

/**
 * Created on the first traced call: without tracing there is no asynchronous context to maintain.
 */
let calls: AsyncLocalStorage<string> | undefined;

/** Runs work whose calls of providers and of other services carry this `traceparent`. */
export function withTraceparent<T>(traceparent: string, work: () => T): T {
  calls ??= new AsyncLocalStorage();
  return calls.run(traceparent, work);
}

/** The `traceparent` of calls made in this context; undefined without tracing. */
export const currentTraceparent = (): string | undefined => calls?.getStore();
