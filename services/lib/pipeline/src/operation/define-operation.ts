import type { Model } from "@uag/catalog/types";
import { ResponseMemory } from "@uag/untrusted/response-memory";
import type { Admitted } from "@uag/usage/types";
import { Bill } from "../bill.ts";
import type { CapabilityContext } from "../context.ts";
import { admit } from "./admit.ts";
import type { AttemptContext } from "./attempts.ts";
import type { AnyBody } from "./body-reader.ts";
import { estimateHandler } from "./estimate.ts";
import { giveUp } from "./give-up.ts";
import { checkedOperation } from "./handle.ts";
import { ModelChain } from "./model-chain.ts";
import type { Operation } from "./operation.ts";
import type { OperationExchange } from "./operation-exchange.ts";
import type { OperationSpec, Size } from "./operation-spec.ts";
import { type QueryReply, respondQuery } from "./query-reply.ts";
import type { CheckedRequest } from "./request-spec.ts";
import { send } from "./send.ts";
import { openTrace, type RequestTrace } from "./trace.ts";

/** The dependencies of the pipeline. */
export type OperationContext = AttemptContext &
  Pick<CapabilityContext, "admission" | "buffers" | "catalog" | "tracing" | "inferenceMetrics">;

/**
 * Defines an operation that is billed per request. In this order: the body within its limit, the
 * model and the key's permission, the fields, the hold, the upstream calls, the bill, the response.
 * The first byte is sent after the journal's `started` is on disk, the last after the bill is; an
 * admitted request gets exactly one bill, whatever happens (`infra/decisions/0001-money.md`).
 */
export function defineOperation<B extends AnyBody, R, S extends Size, A>(
  context: OperationContext,
  spec: OperationSpec<B, R, S, A>,
): Operation {
  const operation = checkedOperation(context, spec, (checked) => {
    const other = spec.instead?.(checked);
    if (other !== undefined) return respondInstead(context, checked, other);
    if (context.tracing === undefined && context.inferenceMetrics === undefined) return serve(context, spec, checked);
    const trace = openTrace(context, spec.name, checked);
    const observed = { ...context, events: trace.observing(context.events) };
    return trace.around(() => serve(observed, spec, checked, trace));
  });
  return { ...operation, canStream: spec.streams !== undefined, estimate: estimateHandler(context, spec) };
}

async function respondInstead<R>(
  context: OperationContext,
  { exchange, warnings }: CheckedRequest<R>,
  replying: Promise<QueryReply>,
): Promise<void> {
  const { headers = [], ...reply } = await replying;
  await respondQuery(context, exchange, { ...reply, headers: [...headers, ...warnings] });
}

async function serve<B extends AnyBody, R, S extends Size, A>(
  context: OperationContext,
  spec: OperationSpec<B, R, S, A>,
  checked: CheckedRequest<R>,
  trace?: RequestTrace,
): Promise<void> {
  const { requestId, signal } = checked.exchange;
  using memory = new ResponseMemory(context.buffers.open(checked.caller.accountId));
  await memory.reserve(spec.responseBytes?.(checked) ?? 0, signal);
  const grant = await admit(context, spec, checked);
  const { admitted: open, size } = grant;
  const { exchange, model } = checked;
  const streamed = spec.streams?.(checked.request) === true;
  const { events } = context;
  const bill = new Bill({ exchange, admitted: open, holdNanoUsd: size.holdNanoUsd, model, streamed, events });
  const chain = new ModelChain({ context, spec, checked, grant, memory, bill, trace });
  let response: { readonly value: A } | undefined;
  const discard = async (): Promise<void> => {
    if (response !== undefined) await release(context, spec, { response: response.value, requestId });
  };
  try {
    await reportStart(exchange, open, model);
    // A non-streamed response waits for its bill, which is written after the start.
    const started = streamed ? open.flushStarted() : undefined;
    // It may reject while upstreams are still being called; it is awaited below.
    started?.catch(() => {});
    response = { value: await chain.call() };
    await started;
    const { serving: admitted } = chain;
    await send(context, { admitted, bill, discard, reply: await spec.respond(admitted, response.value) });
  } catch (thrown) {
    await discard();
    await giveUp(context, spec, { admitted: chain.serving, bill, thrown });
  }
}

/**
 * Reports the start of a request under an idempotency key. Journal first, then the key's record: a
 * record marked as started has a start on disk, which is billed whatever happens.
 */
async function reportStart(exchange: OperationExchange, admitted: Admitted, { id }: Model): Promise<void> {
  if (exchange.onStarted === undefined) return;
  await admitted.flushStarted();
  await exchange.onStarted(id);
}

/** A fault while discarding a response must not prevent its bill from being written. */
async function release<B extends AnyBody, R, S extends Size, A>(
  { events }: OperationContext,
  spec: OperationSpec<B, R, S, A>,
  { response, requestId }: { response: A; requestId: string },
): Promise<void> {
  try {
    await spec.discard?.(response);
  } catch (error) {
    events.failed(requestId, error);
  }
}
