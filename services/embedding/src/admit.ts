import type { Admission, AdmitRequest, Admitted } from "@uag/admission/types.ts";
import { bound } from "@uag/catalog/price.ts";
import type { Model } from "@uag/catalog/types.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import type { EmbeddingInput } from "@uag/upstreams/embeddings/types.ts";
import { countTokens } from "@uag/upstreams/tokens.ts";

/** Vendors' tokenizers differ from ours by less than this. */
const tokenizerMargin = 1.3;
const marginTokens = 4;
const bytesPerToken = 4;

export interface EmbeddingSizing {
  readonly model: Model;
  readonly inputs: readonly EmbeddingInput[];
  /** Most tokens of each input. */
  readonly bounds: readonly number[];
}

/**
 * Admits a request by a quick upper bound of its cost; when the balance does not cover that, the tokens are counted.
 * @throws {GatewayError} `insufficient_balance` and whatever else admission refuses with
 */
export async function admitEmbeddings(
  admission: Admission,
  request: Omit<AdmitRequest, "holdNanoUsd" | "tokens" | "model" | "priceVersion">,
  sizing: EmbeddingSizing,
): Promise<Admitted> {
  const { model, bounds } = sizing;
  const most = sum(bounds);
  const common = {
    ...request,
    model: model.id,
    priceVersion: model.price.version,
    tokens: Math.ceil(most / bytesPerToken),
  };
  try {
    return await admission.admit({ ...common, holdNanoUsd: costOf(most, model) });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== "insufficient_balance") throw error;
    const counted = await countedBound(sizing);
    if (counted >= most) throw error;
    return await admission.admit({ ...common, holdNanoUsd: costOf(counted, model) });
  }
}

function costOf(tokens: number, model: Model): bigint {
  return bound([{ quantity: BigInt(tokens), anyOf: ["input_tokens"] }], model.price);
}

async function countedBound({ inputs, bounds }: EmbeddingSizing): Promise<number> {
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
