import { z } from "zod";
import { countTokens } from "../content/tokens.ts";
import { vectorOf } from "../embeddings/vector.ts";
import type { Call, JsonReply } from "../http/types.ts";
import { rejectBedrock } from "./protocol.ts";

export const isEmbedding = (model: string): boolean =>
  /^(?:amazon\.titan-embed|(?:[a-z]+\.)?cohere\.embed)/.test(model);

const titanSchema = z.strictObject({
  inputText: z.string().min(1).max(50_000),
  dimensions: z.union([z.literal(256), z.literal(512), z.literal(1024)]).optional(),
  normalize: z.boolean().optional(),
  embeddingTypes: z.array(z.enum(["float", "binary"])).optional(),
});
const cohereFields = {
  texts: z.array(z.string().min(1)).min(1).max(96),
  input_type: z.enum(["search_document", "search_query", "classification", "clustering"]),
  truncate: z.enum(["NONE", "START", "END", "LEFT", "RIGHT"]).optional(),
  embedding_types: z.array(z.enum(["float", "int8", "uint8", "binary", "ubinary"])).optional(),
};
const cohere3 = z.strictObject({ ...cohereFields, texts: z.array(z.string().min(1).max(2_048)).min(1).max(96) });
const cohere4 = z.strictObject({
  ...cohereFields,
  output_dimension: z.union([z.literal(256), z.literal(512), z.literal(1024), z.literal(1536)]).optional(),
  max_tokens: z.int().min(1).max(128_000).optional(),
});

function read<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const { data, error } = schema.safeParse(body);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  throw rejectBedrock(
    `Malformed input request: ${issue?.path.join(".")}: ${issue?.message}, please reformat your input.`,
  );
}

/** `POST /model/{id}/invoke` of a model for embeddings. */
export function invokeEmbedding(call: Call): JsonReply {
  const model = call.model ?? "";
  if (model === "amazon.titan-embed-text-v2:0") return titan(call, model);
  if (/cohere\.embed-(?:english|multilingual)-v3$/.test(model)) {
    const { texts } = read(cohere3, call.body);
    return cohere(model, texts, { dimensions: 1_024, maxTokens: 512, id: call.newId("") });
  }
  if (!model.endsWith("cohere.embed-v4:0")) throw rejectBedrock("The provided model identifier is invalid.");
  const { texts, output_dimension: dimensions = 1_536 } = read(cohere4, call.body);
  return cohere(model, texts, { dimensions, maxTokens: 128_000, id: call.newId("") });
}

const tokenHeader = (tokens: number) => ({ "x-amzn-bedrock-input-token-count": String(tokens) });

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
function titan(call: Call, model: string): JsonReply {
  const { inputText: text, dimensions = 1_024 } = read(titanSchema, call.body);
  const tokens = countTokens(text);
  if (tokens > 8_192)
    throw rejectBedrock(
      `400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: ${tokens}`,
    );
  const embedding = vectorOf({ model, text, dimensions });
  const body = { embedding, embeddingsByType: { float: embedding }, inputTextTokenCount: tokens };
  const trueUsage = { inputTextTokenCount: tokens };
  return {
    type: "json",
    status: 200,
    body,
    trueUsage,
    usage: trueUsage,
    units: { tokens, inputs: 1 },
    headers: tokenHeader(tokens),
  };
}

/**
 * Longer texts are an error, as `truncate` is NONE by default
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html).
 */
function cohere(
  model: string,
  texts: readonly string[],
  { dimensions, maxTokens, id }: { dimensions: number; maxTokens: number; id: string },
): JsonReply {
  const counts = texts.map((text) => countTokens(text));
  if (counts.some((count) => count > maxTokens))
    throw rejectBedrock(`too many tokens: total number of tokens in the prompt cannot exceed ${maxTokens}`);
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  const float = texts.map((text) => vectorOf({ model, text, dimensions }));
  const body = { response_type: "embeddings_by_type", embeddings: { float }, id, texts };
  const trueUsage = { input_tokens: tokens };
  const units = { tokens, inputs: texts.length };
  return { type: "json", status: 200, body, trueUsage, usage: trueUsage, units, headers: tokenHeader(tokens) };
}
