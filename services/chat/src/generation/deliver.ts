import { clientErrorOf } from "@uag/capability/client-error.ts";
import { relay } from "@uag/capability/operation/relay.ts";
import { crashPoint } from "@uag/kit/crash-point.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import type { Attempted } from "@uag/upstreams/attempt.ts";
import type { Generated, GeneratedStream } from "@uag/upstreams/generate.ts";
import type { WholeAnswer } from "@uag/upstreams/generation.ts";
import { upstreamLimits } from "@uag/upstreams/upstream-limits.ts";
import type { AdmittedGeneration } from "./admit.ts";
import type { Answered, Bill } from "./bill.ts";
import type { Serving } from "./run.ts";

export interface Delivery {
  readonly admission: AdmittedGeneration;
  readonly attempted: Attempted<Generated>;
  readonly bill: Bill;
}

/** Brings an upstream's answer to the client. The last byte leaves after the bill is on disk. */
export async function deliver(serving: Serving, delivery: Delivery): Promise<void> {
  const { value, upstream, attempts } = delivery.attempted;
  const answered: Answered = { upstream, attempts, status: 200 };
  if (value.kind === "whole") await deliverWhole(serving, delivery, value.answer, answered);
  else await deliverStream(serving, delivery, value, answered);
}

async function deliverWhole(
  serving: Serving,
  delivery: Delivery,
  answer: WholeAnswer,
  answered: Answered,
): Promise<void> {
  const { exchange } = serving;
  const { bill } = delivery;
  const outcome = exchange.over ? Outcome.DISCONNECTED : Outcome.COMPLETED;
  const cost =
    answer.usage === undefined
      ? await bill.estimate(outcome, answer.deliveredText(), answered)
      : await bill.charge(outcome, answer.usage, answered);
  const headers = ["content-type", "application/json", "content-length", String(answer.body.length)];
  headers.push(...commonHeaders(serving, delivery), "x-gateway-cost-usd", usdText(cost));
  crashPoint("first-byte");
  if (!exchange.over) exchange.respond(200, headers, answer.body);
  crashPoint("answered");
}

async function deliverStream(
  serving: Serving,
  delivery: Delivery,
  stream: GeneratedStream,
  answered: Answered,
): Promise<void> {
  const { live } = stream;
  const { exchange, format, context } = serving;
  const headers = ["content-type", "text/event-stream; charset=utf-8", "cache-control", "no-cache"];
  headers.push("x-accel-buffering", "no", ...commonHeaders(serving, delivery));
  crashPoint("first-byte");
  exchange.head(200, headers);
  const checkpoint = (): void => delivery.bill.checkpoint(live.stream.delivered.roughTokens);
  await relay(live, { exchange, keepAlive: format.keepAlive, checkpoint });
  const { failure } = live;
  await billStream(delivery.bill, stream, { answered, left: exchange.over });
  if (exchange.over) return;
  if (failure === undefined) {
    exchange.write(live.stream.closing);
    exchange.end();
    crashPoint("answered");
    return;
  }
  context.events.upstreamFailed(exchange.requestId, delivery.attempted.upstream, failure);
  const clientError = clientErrorOf(failure, exchange.requestId);
  exchange.write(format.errorEvent(clientError));
  exchange.fail(clientError.error.code);
}

/**
 * By the upstream's count if it came, else by what was delivered. A stream that broke by itself before it brought anything is free; one
 * that its client has left is not.
 */
async function billStream(
  bill: Bill,
  { live, allSeen }: GeneratedStream,
  { answered, left }: { answered: Answered; left: boolean },
): Promise<void> {
  const { usage, soFar, delivered } = live.stream;
  const outcome = left ? Outcome.DISCONNECTED : Outcome.COMPLETED;
  const broke = live.failure !== undefined && live.failure.kind !== "cancelled";
  const workedMs = allSeen ? undefined : live.failure?.workedMs;
  if (usage !== undefined) await bill.charge(outcome, usage, answered);
  else if (broke && delivered.text === "") await bill.fail(answered);
  else await bill.estimate(outcome, delivered.text, answered, { soFar, workedMs });
}

function commonHeaders({ model }: Serving, { admission, attempted }: Delivery): string[] {
  const headers = ["x-gateway-model", model.id, "x-gateway-attempts", String(attempted.attempts)];
  const { affordableCap, maxUses, admitted } = admission;
  if (affordableCap !== undefined) headers.push("x-gateway-max-tokens", String(affordableCap));
  if (maxUses !== undefined) headers.push("x-gateway-max-uses", String(maxUses));
  // Some clients read these headers unasked: of a key without limits, the provider's are all that is known.
  const limited = admitted.headers.length > 0;
  headers.push(...(limited ? admitted.headers : upstreamLimits(attempted.value.upstreamAnswer)));
  return headers;
}

/** nano-USD as USD with nine decimals. */
function usdText(nanoUsd: bigint): string {
  const digits = String(nanoUsd).padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}
