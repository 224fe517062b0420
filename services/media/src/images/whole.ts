import type { Answered } from "@uag/capability/bill.ts";
import { usdText } from "@uag/capability/usd.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { type Attempted, AttemptsFailed } from "@uag/upstreams/attempt.ts";
import { makeImages } from "@uag/upstreams/images/make.ts";
import type { ImageAnswer } from "@uag/upstreams/images/types.ts";
import { askUpstreams, callSizes, eachOf } from "./ask.ts";
import { giveUp } from "./end.ts";
import { asWanted } from "./fit.ts";
import { abandonedUnits, type Counted, countOf, merged } from "./money.ts";
import type { Made } from "./order.ts";
import { inAskedSize } from "./resample.ts";
import type { Serving } from "./serve.ts";

type Answer = Attempted<ImageAnswer>;

/** Answers an order in one piece: all its pictures, or those that could be made. */
export async function serveWhole(serving: Serving): Promise<void> {
  const { exchange, order, adapter, admitted } = serving;
  let results: Results = [];
  let attempts = 0;
  let answers: Answer[];
  let made: Made;
  const sizes = callSizes(order.request.count, adapter.mostPerCall);
  try {
    results = await eachOf(sizes, (count) => askUpstreams(serving, count, makeImages));
    attempts = results.reduce((sum, result) => sum + result.attempts, 0);
    answers = results.filter((result): result is Answer => !(result instanceof AttemptsFailed));
    const failed = results.find((result) => result instanceof AttemptsFailed);
    if (answers.length === 0 && failed !== undefined) throw failed;
    await admitted.started;
    made = await gathered(serving, answers);
  } catch (thrown) {
    if (exchange.over && results.length > 0) await billLeft(serving, { results, sizes, attempts });
    else await giveUp(serving, thrown, attempts);
    return;
  }
  await deliver(serving, made, { upstream: answers[0]?.upstream, attempts, status: 200 });
}

type Results = readonly (Answer | AttemptsFailed)[];

/** The client has left: it pays for what was made, and for what was being drawn when it was given up. */
async function billLeft(
  serving: Serving,
  { results, sizes, attempts }: { results: Results; sizes: readonly number[]; attempts: number },
): Promise<void> {
  const { order, adapter, bill } = serving;
  const answers = results.flatMap((result) => (result instanceof AttemptsFailed ? [] : [result]));
  const counted = await countOf(order.model, order.request, { adapter, answers: answers.map(({ value }) => value) });
  const units = answers.length > 0 ? [...counted.units] : [];
  let { estimated } = counted;
  for (const [at, result] of results.entries()) {
    if (!(result instanceof AttemptsFailed) || result.failure.workedMs === undefined) continue;
    estimated = true;
    units.push(...(await abandonedUnits(serving, sizes[at] as number)));
  }
  const answered = { upstream: results[0]?.upstream, attempts, status: 499 };
  if (units.length === 0) await bill.fail(answered);
  else await bill.charge({ ...counted, outcome: Outcome.DISCONNECTED, units: merged(units), estimated }, answered);
}

/** All answers' pictures, as the client wants them delivered. */
async function gathered(serving: Serving, answers: readonly Answer[]): Promise<Made> {
  const { exchange, order, context } = serving;
  const values = answers.map(({ value }) => value);
  const [only] = values;
  const all = values.length === 1 && only !== undefined ? only.images : values.flatMap(({ images }) => images);
  const fitting = { exchange, context };
  const sized = await inAskedSize(all, { order, answers: values }, fitting);
  const images = await asWanted(sized.images, order.request.delivery, fitting);
  const { upstreamSize } = sized;
  return { requestId: exchange.requestId, order, images, upstreamSize, answers: values, createdMs: Date.now() };
}

async function deliver(serving: Serving, made: Made, answered: Answered): Promise<void> {
  const { exchange, order, admitted, bill } = serving;
  const { counted, body } = await prepared(serving, made).catch(async (thrown: unknown) => {
    await giveUp(serving, thrown, answered.attempts);
    return { counted: undefined, body: nothing };
  });
  if (counted === undefined) return;
  const outcome = exchange.over ? Outcome.DISCONNECTED : Outcome.COMPLETED;
  let cost: bigint;
  try {
    cost = await bill.charge({ outcome, ...counted }, answered);
  } catch (error) {
    // The bill could not be written: the client must not get what nobody can account for.
    serving.context.events.failed(exchange.requestId, error);
    throw new GatewayError("service_unavailable", undefined, { cause: error });
  }
  if (exchange.over) return;
  const headers = ["content-type", "application/json", "content-length", String(body.length)];
  headers.push("x-gateway-model", order.model.id, "x-gateway-attempts", String(answered.attempts));
  headers.push(...admitted.headers, "x-gateway-cost-usd", usdText(cost));
  if (made.upstreamSize !== undefined) headers.push("x-gateway-upstream-size", made.upstreamSize);
  exchange.respond(200, headers, body);
}

const nothing = Buffer.alloc(0);

/** All that may go wrong before the bill. */
async function prepared({ order, adapter }: Serving, made: Made): Promise<{ counted: Counted; body: Buffer }> {
  const { answers } = made;
  return {
    counted: await countOf(order.model, order.request, { adapter, answers }),
    body: order.format.body(made),
  };
}
