import { price } from "@uag/catalog/price";
import { chargeOf } from "@uag/catalog/provisional";
import type { TestCall } from "@uag/proto/capability/v1/provider_test.ts";
import { embed } from "@uag/providers/embed";
import type { UpstreamFailure } from "@uag/providers/failure";
import { chatFormat } from "@uag/providers/formats/chat/format";
import { generate, maxResponseBytes } from "@uag/providers/generate";
import type { GenerationCall } from "@uag/providers/generation";
import { generationAdapter } from "@uag/providers/registry";
import type { UsageReport } from "@uag/providers/usage-report";
import { ResponseMemory } from "@uag/untrusted/response-memory";
import type { CapabilityContext } from "../context.ts";
import { namedUnits } from "../unit-names.ts";
import type { Candidate } from "./cheapest.ts";

/** What a test's call needs. */
export type TestContext = Pick<CapabilityContext, "buffers" | "drains" | "pools">;

/** Of one test: the id of the request to the admin API, and its end. */
export interface CallOptions {
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** Of the memory for responses, in place of an account. */
const owner = "provider-test";
const word = "Hi";

/** Calls the model. Resolves with the provider's usage; undefined if it reports none. @throws {UpstreamFailure} */
export async function callCheapest(
  context: TestContext,
  candidate: Candidate,
  options: CallOptions,
): Promise<Pick<UsageReport, "units"> | undefined> {
  using memory = new ResponseMemory(context.buffers.open(owner));
  const call = candidate.kind === "generation" ? generateOne : embedOne;
  return await call({ context, candidate, memory, ...options });
}

interface Prepared extends CallOptions {
  readonly context: TestContext;
  readonly candidate: Candidate;
  readonly memory: ResponseMemory;
}

async function generateOne({ context, candidate, memory, requestId, signal }: Prepared) {
  const { model, upstream, outputCap } = candidate;
  const adapter = generationAdapter(chatFormat, upstream);
  if (adapter === undefined) throw new Error("a candidate has an adapter");
  const { pools, drains } = context;
  const fields = { model: model.id, messages: [{ role: "user", content: word }], max_completion_tokens: outputCap };
  const call: GenerationCall = {
    requestId,
    body: Buffer.from(JSON.stringify(fields)),
    fields,
    model,
    stream: false,
    usageWanted: false,
    outputCap,
    runsTools: false,
    headers: [],
  };
  const made = await generate({
    pools,
    adapter,
    call,
    upstream,
    signal,
    memory,
    disconnect: { drains },
    maxBytes: maxResponseBytes,
  });
  return made.kind === "unary" ? made.response.usage : undefined;
}

async function embedOne({ context, candidate, memory, requestId, signal }: Prepared) {
  const { model, upstream } = candidate;
  if (model.embedding === undefined) throw new Error("a candidate for vectors has embeddings");
  const { pools, drains } = context;
  const call = { requestId, traits: model.embedding, inputs: [word], dimensions: undefined, inputType: undefined };
  const { usage } = await embed({
    pools,
    call,
    upstream,
    signal,
    memory,
    disconnect: { onAbort: "continues", drains },
  });
  return usage && { units: [{ name: "input_tokens", quantity: BigInt(usage.tokens) }, ...usage.others] };
}

/** What a call cost: by the provider's usage, or at most without it. */
export function costOf(candidate: Candidate, usage: Pick<UsageReport, "units"> | undefined): TestCall {
  const { model, upstream, maxCostNanoUsd } = candidate;
  const units = namedUnits(usage?.units ?? []);
  const charged = chargeOf(price(units, model.price), maxCostNanoUsd);
  const about = { model: model.id, upstreamModel: upstream.model, priceVersion: model.price.version, units };
  if (usage === undefined) return { ...about, costNanoUsd: maxCostNanoUsd, estimated: true };
  return { ...about, costNanoUsd: charged.costNanoUsd, estimated: charged.provisional !== undefined };
}

/** True when a failed call may have cost money: the provider had it, and did not refuse it. */
export function mayCost({ kind, status, usage, received }: UpstreamFailure): boolean {
  if (usage !== undefined || received !== undefined) return true;
  return status < 400 && (kind === "transient" || kind === "timeout" || kind === "cancelled");
}
