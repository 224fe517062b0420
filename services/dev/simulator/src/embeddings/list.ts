import { canonicalJson } from "../content/hash.ts";
import { countTokens } from "../content/tokens.ts";
import { reportedUsage } from "../faults/usage.ts";
import type { Call, JsonReply } from "../http/types.ts";
import type { Usage } from "../usage.ts";
import { base64Of, shuffled, vectorOf } from "./vector.ts";

/** A text, or one that the client has already split into token ids. */
export type EmbeddingInput = string | readonly number[];

/** Reads `input`: one text, one token array, or a list of either. */
export function inputsOf(
  input: string | readonly string[] | readonly number[] | readonly (readonly number[])[],
): EmbeddingInput[] {
  if (typeof input === "string") return [input];
  const first = input[0];
  if (typeof first !== "number") return [...(input as readonly EmbeddingInput[])];
  return [input as readonly number[]];
}

export function tokensOfInput(input: EmbeddingInput): number {
  return typeof input === "string" ? countTokens(input) : input.length;
}

/** The response of providers with OpenAI's format: a list of vectors, each with its index. */
export function embeddingList(
  call: Call,
  options: {
    model: string;
    inputs: readonly EmbeddingInput[];
    dimensions: number;
    base64: boolean;
    tokens: number;
    usage: Usage;
    /** Fields in addition to the common ones. */
    fields?: object;
  },
): JsonReply {
  const { model, inputs, dimensions, usage: trueUsage } = options;
  const data = inputs.map((input, index) => {
    const text = typeof input === "string" ? input : canonicalJson(input);
    const vector = vectorOf({ model, text, dimensions });
    return { object: "embedding", index, embedding: options.base64 ? base64Of(vector) : vector };
  });
  const usage = reportedUsage(trueUsage, call.faults);
  const body = {
    object: "list",
    data: shuffled(data, call.faults["embeddings-shuffle"] !== undefined),
    model,
    ...(usage !== undefined && { usage }),
    ...options.fields,
  };
  const units = { tokens: options.tokens, inputs: inputs.length };
  return { type: "json", status: 200, body, usage, trueUsage, units };
}
