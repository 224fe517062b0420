import { z } from "zod";
import { countTokens } from "../content/tokens.ts";
import { vectorOf } from "../embeddings/vector.ts";
import type { Call, Reply } from "../http/types.ts";
import { withCamelNames } from "./field-names.ts";
import { rejectGemini } from "./protocol.ts";
import { geminiWording } from "./wording.ts";

interface EmbeddingModel {
  readonly dimensions: number;
}

// Both read the first 2,048 tokens of a text.
const models: { readonly [id: string]: EmbeddingModel } = {
  "text-embedding-004": { dimensions: 768 },
  "gemini-embedding-001": { dimensions: 3072 },
};

const tokensEach = 2048;
const maxBatch = 100;
const taskTypes = [
  "TASK_TYPE_UNSPECIFIED",
  "RETRIEVAL_QUERY",
  "RETRIEVAL_DOCUMENT",
  "SEMANTIC_SIMILARITY",
  "CLASSIFICATION",
  "CLUSTERING",
  "QUESTION_ANSWERING",
  "FACT_VERIFICATION",
  "CODE_RETRIEVAL_QUERY",
];

const one = z.strictObject({
  model: z.string().optional(),
  content: z.strictObject({ role: z.string().optional(), parts: z.array(z.strictObject({ text: z.string() })).min(1) }),
  taskType: z.enum(taskTypes).optional(),
  title: z.string().optional(),
  outputDimensionality: z.int().optional(),
});
const many = z.strictObject({ requests: z.array(one).min(1) });
type One = z.infer<typeof one>;

function modelOf(call: Call, method: string): EmbeddingModel {
  const model = models[call.model ?? ""];
  if (model !== undefined) return model;
  const message = `models/${call.model} is not found for API version v1beta, or is not supported for ${method}. Call ListModels to see the list of available models and their supported methods.`;
  throw rejectGemini(404, message);
}

function check(request: One, call: Call, model: EmbeddingModel, where: string): void {
  if (request.model !== undefined && request.model !== `models/${call.model}`) {
    throw rejectGemini(400, `* ${where}model: the model does not match the one of the path\n`);
  }
  if (request.title !== undefined && request.taskType !== "RETRIEVAL_DOCUMENT") {
    throw rejectGemini(400, `* ${where}title: title is only valid when task_type is RETRIEVAL_DOCUMENT\n`);
  }
  const dimensions = request.outputDimensionality ?? model.dimensions;
  if (dimensions < 1 || dimensions > model.dimensions) {
    throw rejectGemini(400, `* ${where}output_dimensionality: must be between 1 and ${model.dimensions}\n`);
  }
  if (textOf(request) === "") throw rejectGemini(400, `* ${where}content: content is empty\n`);
}

function textOf({ content }: One): string {
  return content.parts.map(({ text }) => text).join("\n");
}

function valuesOf(request: One, call: Call, { dimensions: full }: EmbeddingModel): { values: number[] } {
  const dimensions = request.outputDimensionality ?? full;
  // A truncated vector keeps the scale of the whole.
  return { values: vectorOf({ model: call.model ?? "", text: textOf(request), dimensions, unitOver: full }) };
}

function billed(requests: readonly One[]): Pick<Reply, "units" | "trueUsage"> {
  let tokens = 0;
  for (const request of requests) tokens += Math.min(tokensEach, countTokens(textOf(request)));
  return { units: { tokens, inputs: requests.length }, trueUsage: { promptTokenCount: tokens } };
}

/** `POST /v1beta/models/{model}:embedContent`; reports no usage. */
export function embedContent(call: Call): Reply {
  const model = modelOf(call, "embedContent");
  const parsed = one.safeParse(withCamelNames(call.body));
  if (!parsed.success) throw rejectGemini(400, geminiWording(parsed.error));
  check(parsed.data, call, model, "EmbedContentRequest.");
  return {
    type: "json",
    status: 200,
    body: { embedding: valuesOf(parsed.data, call, model) },
    ...billed([parsed.data]),
  };
}

/**
 * `POST /v1beta/models/{model}:batchEmbedContents`; up to 100 requests, with responses in order, without
 * usage.
 */
export function batchEmbedContents(call: Call): Reply {
  const model = modelOf(call, "batchEmbedContents");
  const parsed = many.safeParse(withCamelNames(call.body));
  if (!parsed.success) throw rejectGemini(400, geminiWording(parsed.error));
  const { requests } = parsed.data;
  if (requests.length > maxBatch) {
    throw rejectGemini(400, `* BatchEmbedContentsRequest.requests: at most ${maxBatch} requests can be in one batch\n`);
  }
  for (const [i, request] of requests.entries()) {
    const where = `BatchEmbedContentsRequest.requests[${i}].`;
    if (request.model === undefined) throw rejectGemini(400, `* ${where}model: model is required\n`);
    check(request, call, model, where);
  }
  const embeddings = requests.map((request) => valuesOf(request, call, model));
  return { type: "json", status: 200, body: { embeddings }, ...billed(requests) };
}
