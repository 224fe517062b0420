import { bound } from "@uag/catalog/price";
import { sizings } from "@uag/catalog/sizing";
import type { Model, Provider, Upstream } from "@uag/catalog/types";
import { chatFormat } from "@uag/providers/formats/chat/format";
import { adapterFor, generationAdapter, isUncapped } from "@uag/providers/registry";

/** What a test can call: text, whose output is capped, or one vector. Nothing else is that cheap. */
type TestKind = "generation" | "embeddings";

/** A call that a test may make. */
export interface Candidate {
  readonly model: Model;
  readonly upstream: Upstream;
  readonly kind: TestKind;
  /** Output tokens that are asked for. */
  readonly outputCap: number;
  /** The most that it can cost, nano-USD. */
  readonly maxCostNanoUsd: bigint;
}

const generating: readonly string[] = ["chat.completions", "messages", "responses"];

/** More than any chat template adds to one word. */
const maxInputTokens = 1_000n;
/** Some models that reason reject a smaller cap (OpenAI's reference, create a response: at least 16). */
const reasoningCap = 16;

function kindOf({ operations, embedding, output }: Model, upstream: Upstream): TestKind | undefined {
  const writes = generating.some((operation) => operations.has(operation)) && !output.has("audio");
  if (writes && generationAdapter(chatFormat, upstream) !== undefined) return "generation";
  return embedding !== undefined && adapterFor("embeddings", upstream.provider.protocol) !== undefined
    ? "embeddings"
    : undefined;
}

function limitsOf({ reasoning, maxOutputTokens }: Model, upstream: Upstream, kind: TestKind, outputCap: number) {
  const { textIn, textOut } = sizings.generation;
  if (kind === "embeddings") return [{ quantity: maxInputTokens, anyOf: sizings.embeddings.input }];
  const thinksOn = reasoning !== undefined && isUncapped([upstream], "thinking");
  const output = thinksOn ? maxOutputTokens : outputCap;
  return [
    { quantity: maxInputTokens, anyOf: textIn },
    { quantity: BigInt(output), anyOf: textOut },
  ];
}

function candidateOf(model: Model, provider: Provider): Candidate[] {
  const found = model.upstreams.find((each) => each.provider.name === provider.name);
  const kind = found && kindOf(model, found);
  if (found === undefined || kind === undefined) return [];
  const upstream = { ...found, provider, pool: undefined };
  const outputCap = model.reasoning === undefined ? 1 : reasoningCap;
  const maxCostNanoUsd = bound(limitsOf(model, upstream, kind, outputCap), model.price);
  return [{ model, upstream, kind, outputCap, maxCostNanoUsd }];
}

/** The cheapest call to a provider: text before vectors, what the provider lists before the rest. */
export function cheapestCall(
  models: Iterable<Model>,
  provider: Provider,
  isListed: (upstreamModel: string) => boolean,
): Candidate | undefined {
  const rank = ({ kind, upstream }: Candidate): number =>
    (kind === "generation" ? 0 : 1) + (isListed(upstream.model) ? 0 : 2);
  const candidates = [...models].flatMap((model) => candidateOf(model, provider));
  return candidates.sort((a, b) => rank(a) - rank(b) || Number(a.maxCostNanoUsd - b.maxCostNanoUsd))[0];
}
