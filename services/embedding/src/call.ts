import type { BatchLimits, Upstream } from "@uag/catalog/types";
import type { UsageCharge } from "@uag/pipeline/bill";
import { callParts, type PartResults } from "@uag/pipeline/call-parts";
import type { CapabilityContext } from "@uag/pipeline/context";
import type { AdmittedRequest } from "@uag/pipeline/operation/operation-spec";
import { PartialFailure } from "@uag/pipeline/operation/partial-failure";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { type Attempted, AttemptsFailed } from "@uag/providers/attempt";
import type { DisconnectRule } from "@uag/providers/disconnect/watch";
import { embed } from "@uag/providers/embed";
import type { EmbeddingCall, EmbeddingInput, EmbeddingResponse, TokenReport } from "@uag/providers/embeddings/types";
import { UpstreamFailure } from "@uag/providers/failure";
import type { UsageReport } from "@uag/providers/usage-report";
import { commonLimits, splitInputs } from "./parts/split.ts";
import { embeddingUsage, type Usage, type UsedPart } from "./parts/usage.ts";
import type { EmbeddingRequest } from "./request/read.ts";
import { type ReadyVectors, readyVectors, type WantedVectors } from "./response/ready.ts";
import type { EmbeddingSize } from "./size.ts";

type Admitted = AdmittedRequest<EmbeddingRequest, EmbeddingSize>;

/** The vectors of some inputs, and their usage. */
export type EmbeddedPart = ReadyVectors & UsedPart;

/** The vectors of all inputs, and their usage. */
export interface Embedded {
  /** In the order of the inputs. */
  readonly parts: readonly EmbeddedPart[];
  readonly usage: Usage;
  readonly upstream: Upstream | undefined;
  readonly attempts: number;
}

type PartResponse = Attempted<EmbeddedPart>;

/**
 * Requests the vectors of all inputs, in as many calls as the model's upstreams need.
 * @throws {PartialFailure} one error for the whole request; parts that succeeded before are still
 * owed,
 * because their upstream charges for them
 */
export async function callUpstreams(
  context: Pick<CapabilityContext, "drains" | "pools">,
  admitted: Admitted,
  partsAtOnce: number,
): Promise<Embedded> {
  const { exchange, model, request } = admitted;
  const abandoned: UsedPart[] = [];
  const called = await callParts(partsOf(request, commonLimits(model.upstreams)), {
    atOnce: partsAtOnce,
    signal: exchange.signal,
    call: (part, signal) => callPart(context, admitted, { ...part, signal, abandoned }),
  });
  const parts = called.responses.flatMap((response) => (response === undefined ? [] : [response.value]));
  const usage = await embeddingUsage([...parts, ...abandoned], model.contextTokens);
  const source = sourceOf(called);
  if (called.failure === undefined) return { parts, usage, ...source };
  const outcome = exchange.over ? Outcome.DISCONNECTED : Outcome.FAILED;
  const owed = usage.tokens === 0 ? undefined : { ...chargeOf(usage), outcome };
  throw new PartialFailure(called.failure.thrown, { owed, ...source });
}

/** The inputs of one call to an upstream. */
type Inputs = Pick<EmbeddingCall, "inputs" | "contents">;

function partsOf({ inputs, contents, bounds }: EmbeddingRequest, limits: BatchLimits): Inputs[] {
  const contentsOf = contents && splitInputs(contents, bounds, limits);
  return splitInputs(inputs, bounds, limits).map((some, at) => ({ inputs: some, contents: contentsOf?.[at] }));
}

interface Part extends Inputs {
  readonly signal: AbortSignal;
  /** Collects the parts that an upstream charges for although the call failed. */
  readonly abandoned: UsedPart[];
}

async function callPart(
  { pools, drains }: Pick<CapabilityContext, "drains" | "pools">,
  { exchange, request, admitted, attempt, memory }: Admitted,
  { inputs, contents, signal, abandoned }: Part,
): Promise<PartResponse> {
  const { requestId } = exchange;
  const { traits, format, dimensions, inputType } = request;
  const wanted = { format, dimensions: dimensions ?? traits.dimensions };
  const call = { requestId, traits, inputs, contents, dimensions, inputType };
  const disconnect: DisconnectRule = {
    // Vectors are not streamed, so a client that disconnects does not stop them. A part aborted
    // because of another part's failure is not charged.
    get onAbort() {
      return exchange.signal.aborted ? "continues" : "stops";
    },
    drains,
    draining: () => admitted.clientLeft(),
  };
  return await attempt(async (upstream) => {
    try {
      const response = await embed({ pools, call, upstream, signal, disconnect, memory });
      return { ...(await ready(response, wanted)), inputs, usage: response.usage };
    } catch (error) {
      const spent = error instanceof UpstreamFailure ? spentOn(inputs, error, exchange.signal) : undefined;
      if (spent !== undefined) abandoned.push(spent);
      throw error;
    }
  }, signal);
}

/** The vectors for the client; a failure says what the upstream charges for the response. */
async function ready(response: EmbeddingResponse, wanted: WantedVectors): Promise<ReadyVectors> {
  try {
    return await readyVectors(response, wanted);
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    const { usage } = response;
    throw error.with(usage === undefined ? { received: "" } : { usage: reportOf(usage) });
  }
}

function reportOf({ tokens, others, raw }: TokenReport): UsageReport {
  return { units: [{ name: "input_tokens", quantity: BigInt(tokens) }, ...others], raw };
}

/**
 * The part that an upstream charges for in a failed call: it reported usage, responded unusably, or
 * was working when the client disconnected. A call aborted for another part's failure is free.
 */
function spentOn(
  inputs: readonly EmbeddingInput[],
  { usage, received, workedMs }: UpstreamFailure,
  client: AbortSignal,
): UsedPart | undefined {
  if (usage !== undefined) {
    const [tokens, ...others] = usage.units;
    return { inputs, usage: { tokens: Number(tokens?.quantity ?? 0n), others, raw: usage.raw } };
  }
  const worked = workedMs !== undefined && client.aborted;
  return received !== undefined || worked ? { inputs, usage: undefined } : undefined;
}

/** The units to bill for a request. */
export function chargeOf({ tokens, others, raw, estimated }: Usage): UsageCharge {
  return { units: [{ name: "input_tokens", quantity: BigInt(tokens) }, ...others], raw, estimated };
}

/** The ledger names one upstream: the first that responded, otherwise the last that failed. */
function sourceOf({ responses, failure }: PartResults<PartResponse>): Pick<Embedded, "upstream" | "attempts"> {
  const failed = failure?.thrown instanceof AttemptsFailed ? failure.thrown : undefined;
  const reached = failed !== undefined && failed.failure.status !== 0 ? failed.upstream : undefined;
  const first = responses.find((response) => response !== undefined);
  let attempts = failed?.attempts ?? 0;
  for (const response of responses) attempts += response?.attempts ?? 0;
  return { upstream: first?.upstream ?? reached, attempts };
}
