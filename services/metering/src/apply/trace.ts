import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { traceparentOf, withTraceparent } from "@uag/runtime/tracing/traceparent";
import type { Tracing } from "@uag/runtime/tracing/tracing";
import type { DecodedBatch } from "./decode.ts";

/** Further sampled requests of a group have no span here: a group may hold thousands. */
const maxSpans = 32;
const failed = { code: 2 } as const;

interface SampledEvent extends UsageEvent {
  readonly traceId: string;
  readonly spanId: string;
}

const isSampled = (event: UsageEvent): event is SampledEvent =>
  event.traceId !== undefined && event.spanId !== undefined;

/** At most {@link maxSpans} events whose requests are sampled. */
function sampledOf(batches: readonly DecodedBatch[]): SampledEvent[] {
  const sampled: SampledEvent[] = [];
  for (const { events } of batches) {
    for (const event of events) {
      if (!isSampled(event)) continue;
      sampled.push(event);
      if (sampled.length === maxSpans) return sampled;
    }
  }
  return sampled;
}

/**
 * Applies a group of batches within spans: one for each sampled request, as a child of the
 * request's own, by the conventions for messaging. Billing's spans are children of the first, to
 * which the others are linked.
 */
export async function withSpans(
  tracing: Tracing | undefined,
  batches: readonly DecodedBatch[],
  work: () => Promise<void>,
): Promise<void> {
  const sampled = tracing === undefined ? [] : sampledOf(batches);
  if (tracing === undefined || sampled.length === 0) return work();
  const attributes = {
    "messaging.system": "nats",
    "messaging.operation.type": "process",
    "messaging.operation.name": "process",
    "messaging.destination.name": "usage.v1",
    "messaging.batch.message_count": batches.length,
  };
  const start = ({ traceId, spanId, requestId }: SampledEvent, first?: ReturnType<Tracing["start"]>) =>
    tracing.start("process usage.v1", {
      kind: "CONSUMER",
      parent: { traceId, spanId, traceFlags: 1, isRemote: true },
      links: first === undefined ? [] : [first.spanContext()],
      attributes: { ...attributes, "gateway.request_id": requestId },
    });
  const [one, ...more] = sampled as [SampledEvent, ...SampledEvent[]];
  const first = start(one);
  const spans = [first, ...more.map((event) => start(event, first))];
  try {
    await withTraceparent(traceparentOf(first.spanContext()), work);
  } catch (error) {
    for (const span of spans) span.setStatus(failed);
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}
