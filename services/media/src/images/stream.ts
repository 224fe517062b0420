import type { Answered, Bill } from "@uag/capability/bill.ts";
import { clientErrorOf } from "@uag/capability/client-error.ts";
import { encodeSse } from "@uag/kit/sse/encoder.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import type { Attempted } from "@uag/upstreams/attempt.ts";
import { type LiveImages, streamImages } from "@uag/upstreams/images/make.ts";
import { tokensOfPartial } from "@uag/upstreams/images/stream.ts";
import type { LiveStream } from "@uag/upstreams/live-stream.ts";
import { askUpstreams } from "./ask.ts";
import { giveUp } from "./end.ts";
import { estimate } from "./money.ts";
import type { Serving } from "./serve.ts";

/** Answers an order as it takes shape. The last whole picture leaves after the bill is on disk. */
export async function serveStream(serving: Serving): Promise<void> {
  const { exchange, context, order, admitted, bill } = serving;
  let attempted: Attempted<LiveImages> | undefined;
  try {
    attempted = await askUpstreams(serving, order.request.count, streamImages);
    await admitted.started;
  } catch (thrown) {
    attempted?.value.live.cancel();
    await giveUp(serving, thrown, attempted?.attempts ?? 0);
    return;
  }
  const { value, upstream, attempts } = attempted;
  const answered = { upstream, attempts, status: 200 };
  try {
    const headers = ["content-type", "text/event-stream; charset=utf-8", "cache-control", "no-cache"];
    headers.push("x-accel-buffering", "no", "x-gateway-model", order.model.id);
    exchange.head(200, [...headers, "x-gateway-attempts", String(attempts), ...admitted.headers]);
    await relay(value.live, exchange);
    await billStream(serving, bill, { value, answered });
    finish(serving, value, answered);
  } catch (error) {
    context.events.failed(exchange.requestId, error);
    exchange.fail("service_unavailable");
    await bill.fail({ ...answered, status: 503 }).catch((again: unknown) => {
      // A bill that was tried before fails with the same error, which is told already.
      if (again !== error) context.events.failed(exchange.requestId, again);
    });
  }
}

/** Ends the answer with the last picture, or with what went wrong. */
function finish({ exchange, context, order }: Serving, { live }: LiveImages, { upstream }: Answered): void {
  if (exchange.over) return;
  const { failure } = live;
  if (failure === undefined) {
    exchange.write(live.stream.closing);
    exchange.end();
    return;
  }
  if (upstream !== undefined) context.events.upstreamFailed(exchange.requestId, upstream, failure);
  const clientError = clientErrorOf(failure, exchange.requestId);
  const { error } = JSON.parse(order.format.errorBody(clientError).toString("utf8")) as { error: object };
  exchange.write(encodeSse({ name: "error", data: JSON.stringify({ type: "error", error }) }));
  exchange.fail(clientError.error.code);
}

/**
 * By the upstream's count if it came. Without it, by estimate: a client that left owes what was being drawn when the call was given up, and
 * whole pictures that came uncounted are owed too; a stream that broke before a whole picture is free.
 */
async function billStream(
  { exchange, order }: Serving,
  bill: Bill,
  { value, answered }: { value: LiveImages; answered: Answered },
): Promise<void> {
  const { usage, partials, completed } = value.stream;
  const abandoned = value.live.failure?.kind === "cancelled";
  const outcome = exchange.over ? Outcome.DISCONNECTED : Outcome.COMPLETED;
  if (usage !== undefined) {
    await bill.charge({ outcome, units: usage.units, raw: usage.raw }, answered);
    return;
  }
  if (completed === 0 && !abandoned) {
    await bill.fail({ ...answered, status: exchange.over ? 499 : answered.status });
    return;
  }
  const units = await estimate(order.model, order.request, abandoned ? order.request.count : completed);
  if (partials > 0) units.push({ name: "image_output_tokens", quantity: BigInt(partials * tokensOfPartial) });
  await bill.charge({ outcome, units, estimated: true }, answered);
}

/** Carries the events to the client at its own pace; resolves when the upstream's side is over. */
function relay(live: LiveStream, exchange: LinkExchange): Promise<void> {
  return new Promise((resolve) => {
    let paused = false;
    const goOn = (): void => {
      paused = false;
      live.resume();
    };
    live.attach({
      output(bytes) {
        if (exchange.write(bytes) || paused) return;
        paused = true;
        live.pause();
        // A client that left is told by the exchange's signal, which ends the upstream call.
        exchange.drained().then(goOn, goOn);
      },
      over: resolve,
    });
  });
}
