import { bound } from "@uag/catalog/price";
import { sizings } from "@uag/catalog/sizing";
import type { Model } from "@uag/catalog/types";
import type { Shortage, Size } from "@uag/pipeline/operation/operation-spec";
import type { CheckedRequest } from "@uag/pipeline/operation/request-spec";
import { countTokens } from "@uag/providers/tokens";
import type { EmbeddingRequest } from "./request/read.ts";

/** Upper bound of how much vendors' tokenizers differ from ours. */
const tokenizerMargin = 1.3;
const marginTokens = 4;
const bytesPerToken = 4;

/** A size, and the input tokens that its hold covers. */
export interface EmbeddingSize extends Size {
  readonly inputTokens: number;
}

/** The quick bound: a token of text is at least one byte. */
export function embeddingRequestSize({ model, request }: CheckedRequest<EmbeddingRequest>): EmbeddingSize {
  const max = sum(request.bounds);
  return sizeFor(max, model, Math.ceil(max / bytesPerToken));
}

/** Counts the tokens when the balance does not cover the quick bound. */
export async function* tighterSizes(
  { model, request }: CheckedRequest<EmbeddingRequest>,
  { size }: Shortage<EmbeddingSize>,
): AsyncGenerator<EmbeddingSize> {
  const counted = await countedBound(request);
  if (counted < size.inputTokens) yield sizeFor(counted, model, size.tokens);
}

function sizeFor(inputTokens: number, model: Model, tokens: number): EmbeddingSize {
  const holdNanoUsd = bound([{ quantity: BigInt(inputTokens), anyOf: sizings.embeddings.input }], model.price);
  return { holdNanoUsd, tokens, inputTokens };
}

async function countedBound({ inputs, bounds }: EmbeddingRequest): Promise<number> {
  let tokens = 0;
  for (const [index, input] of inputs.entries()) {
    const counted =
      typeof input === "string" ? Math.ceil((await countTokens(input)) * tokenizerMargin) + marginTokens : input.length;
    tokens += Math.min(counted, bounds[index] ?? counted);
  }
  return tokens;
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const value of numbers) total += value;
  return total;
}
