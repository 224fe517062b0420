import type { Admitted } from "@uag/admission/types.ts";
import { type Asked, askParts } from "@uag/capability/ask-parts.ts";
import type { Answered, Bill } from "@uag/capability/bill.ts";
import { nestedErrors } from "@uag/capability/nested-error.ts";
import { answerTrouble, troubleOf } from "@uag/capability/trouble.ts";
import { usdText } from "@uag/capability/usd.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { type Attempted, AttemptsFailed, attempt } from "@uag/upstreams/attempt.ts";
import type { DisconnectRule } from "@uag/upstreams/disconnect/watch.ts";
import { embed } from "@uag/upstreams/embed.ts";
import type { EmbeddingInput } from "@uag/upstreams/embeddings/types.ts";
import { answerBody } from "./answer/body.ts";
import { type ReadyVectors, readyVectors } from "./answer/ready.ts";
import type { EmbeddingContext, EmbeddingOptions } from "./operations.ts";
import { type Usage, type UsedPart, usageOf } from "./parts/usage.ts";
import type { EmbeddingRequest } from "./request/read.ts";

/** One admitted request. */
export interface Serving {
  readonly exchange: LinkExchange;
  readonly context: EmbeddingContext;
  readonly options: EmbeddingOptions;
  readonly request: EmbeddingRequest;
  readonly parts: readonly (readonly EmbeddingInput[])[];
  readonly admitted: Admitted;
  readonly bill: Bill;
}

type PartAnswer = Attempted<ReadyVectors & UsedPart>;

/** Asks for all parts, bills what was answered, and answers the client once the bill is on disk. */
export async function serveEmbeddings(serving: Serving): Promise<void> {
  const { exchange, request, parts, admitted } = serving;
  const abandoned: UsedPart[] = [];
  const asked = await askParts(parts, {
    atOnce: serving.options.partsAtOnce,
    signal: exchange.signal,
    ask: (inputs, signal) => askUpstreams(serving, { inputs, signal, abandoned }),
  });
  const done = asked.answers.flatMap((answer) => (answer === undefined ? [] : [answer.value]));
  const usage = await usageOf([...done, ...abandoned], request.model.contextTokens);
  const failure = asked.failure ?? (await failureOf(admitted.started));
  if (failure === undefined) {
    const body = answerBody(done, { model: request.model.id, tokens: usage.tokens });
    await answerWhole(serving, { asked, usage, body });
  } else await answerFailure(serving, { asked, usage, thrown: failure.thrown });
}

async function failureOf(work: Promise<void>): Promise<Asked<PartAnswer>["failure"]> {
  try {
    await work;
    return undefined;
  } catch (thrown) {
    return { thrown };
  }
}

interface Part {
  readonly inputs: readonly EmbeddingInput[];
  readonly signal: AbortSignal;
  /** Takes what an upstream was at work on when the client had left, and it was given up. */
  readonly abandoned: UsedPart[];
}

function askUpstreams(serving: Serving, { inputs, signal, abandoned }: Part): Promise<PartAnswer> {
  const { exchange, context, request, admitted } = serving;
  const { requestId } = exchange;
  const { model, traits, format, dimensions, inputType } = request;
  const wanted = { format, dimensions: dimensions ?? traits.dimensions };
  const call = { requestId, traits, inputs, dimensions, inputType };
  const disconnect: DisconnectRule = {
    // Vectors come in one piece: who leaves does not stop them. A part that another part's failure ends is not paid for.
    get onAbort() {
      return exchange.signal.aborted ? "continues" : "stops";
    },
    drains: context.drains,
    draining: () => admitted.clientLeft(),
  };
  return attempt({
    upstreams: model.upstreams,
    health: context.health,
    budget: context.budget,
    signal,
    call: async (upstream) => {
      const answer = await embed({ pools: context.pools, call, upstream, signal, disconnect });
      return { ...readyVectors(answer, wanted), inputs, usage: answer.usage };
    },
    onFailure: (upstream, failure) => {
      if (failure.workedMs !== undefined && exchange.signal.aborted) abandoned.push({ inputs, usage: undefined });
      context.events.upstreamFailed(requestId, upstream, failure);
    },
  });
}

async function answerWhole(
  serving: Serving,
  { asked, usage, body }: { asked: Asked<PartAnswer>; usage: Usage; body: readonly Buffer[] },
): Promise<void> {
  const { exchange, bill, admitted } = serving;
  const outcome = exchange.over ? Outcome.DISCONNECTED : Outcome.COMPLETED;
  const cost = await bill.charge(chargeOf(usage, outcome), answeredBy(asked, 200));
  if (exchange.over) return;
  let length = 0;
  for (const piece of body) length += piece.length;
  const headers = ["content-type", "application/json", "content-length", String(length)];
  headers.push(...gatewayHeaders(serving, asked), ...admitted.headers, "x-gateway-cost-usd", usdText(cost));
  exchange.head(200, headers);
  for (const piece of body) exchange.write(piece);
  exchange.end();
}

/** One error for the whole call. What upstreams had answered by then they charge for, and so does the bill. */
async function answerFailure(
  serving: Serving,
  { asked, usage, thrown }: { asked: Asked<PartAnswer>; usage: Usage; thrown: unknown },
): Promise<void> {
  const { exchange, bill, admitted, context } = serving;
  const trouble = troubleOf(thrown, exchange.requestId);
  const answered = answeredBy(asked, exchange.over ? 499 : trouble.error.httpStatus);
  if (usage.tokens === 0) await bill.fail(answered);
  else await bill.charge(chargeOf(usage, exchange.over ? Outcome.DISCONNECTED : Outcome.FAILED), answered);
  const headers = [...gatewayHeaders(serving, asked), ...admitted.headers];
  answerTrouble(exchange, trouble, { events: context.events, format: nestedErrors, headers });
}

function chargeOf({ tokens, raw, estimated }: Usage, outcome: Outcome): Parameters<Bill["charge"]>[0] {
  return { outcome, units: [{ name: "input_tokens", quantity: BigInt(tokens) }], raw, estimated };
}

/** The ledger names one upstream: the first that answered, or else the one that failed last. */
function answeredBy(asked: Asked<PartAnswer>, status: number): Answered {
  const failed = asked.failure?.thrown instanceof AttemptsFailed ? asked.failure.thrown : undefined;
  const reached = failed !== undefined && failed.failure.status !== 0 ? failed.upstream : undefined;
  const first = asked.answers.find((answer) => answer !== undefined);
  return { upstream: first?.upstream ?? reached, attempts: attemptsIn(asked, failed), status };
}

function attemptsIn(asked: Asked<PartAnswer>, failed: AttemptsFailed | undefined): number {
  let attempts = failed?.attempts ?? 0;
  for (const answer of asked.answers) attempts += answer?.attempts ?? 0;
  return attempts;
}

function gatewayHeaders({ request }: Serving, asked: Asked<PartAnswer>): string[] {
  return ["x-gateway-model", request.model.id, "x-gateway-attempts", String(answeredBy(asked, 0).attempts)];
}
