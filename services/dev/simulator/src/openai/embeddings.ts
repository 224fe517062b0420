import { z } from "zod";
import { firstIssue } from "../completions/issue.ts";
import { openAiWording } from "../completions/wording.ts";
import { type EmbeddingInput, embeddingList, inputsOf, tokensOfInput } from "../embeddings/list.ts";
import type { Call, Reply } from "../http/types.ts";
import { rejectOpenAi } from "./protocol.ts";

interface EmbeddingModel {
  readonly dimensions: number;
  readonly shortens: boolean;
}

const models: { readonly [id: string]: EmbeddingModel } = {
  "text-embedding-3-small": { dimensions: 1536, shortens: true },
  "text-embedding-3-large": { dimensions: 3072, shortens: true },
  "text-embedding-ada-002": { dimensions: 1536, shortens: false },
};

const tokensEach = 8192;
const tokensTogether = 300_000;
const token = z.int().min(0).max(200_000);

const schema = z.looseObject({
  input: z.union([
    z.string(),
    z.array(z.string()).max(2048),
    z.array(token).max(2048),
    z.array(z.array(token)).max(2048),
  ]),
  model: z.string(),
  dimensions: z.int().min(1).optional(),
  encoding_format: z.enum(["float", "base64"]).optional(),
  user: z.string().optional(),
});
const fields = new Set(Object.keys(schema.shape));

const wrongInput =
  "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.";

function checkInputs(inputs: readonly EmbeddingInput[]): number {
  if (inputs.length === 0 || inputs.some((input) => input.length === 0)) {
    throw rejectOpenAi({ status: 400, message: wrongInput });
  }
  let total = 0;
  for (const input of inputs) {
    const tokens = tokensOfInput(input);
    total += tokens;
    if (tokens <= tokensEach) continue;
    const message = `This model's maximum context length is ${tokensEach} tokens, however you requested ${tokens} tokens (${tokens} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`;
    throw rejectOpenAi({ status: 400, message });
  }
  if (total > tokensTogether) {
    const message = `Requested ${total} tokens, max ${tokensTogether} tokens per request`;
    throw rejectOpenAi({ status: 400, message, code: "max_tokens_per_request" });
  }
  return total;
}

function checkDimensions(requested: number | undefined, model: EmbeddingModel): number {
  if (requested === undefined) return model.dimensions;
  if (!model.shortens)
    throw rejectOpenAi({ status: 400, message: "This model does not support specifying dimensions." });
  if (requested <= model.dimensions) return requested;
  const message = `Invalid value for 'dimensions' = ${requested}. Must be less than or equal to ${model.dimensions}.`;
  throw rejectOpenAi({ status: 400, message });
}

/** `POST /v1/embeddings` */
export function openAiEmbeddings(call: Call): Reply {
  const { body } = call;
  const unknown = Object.keys(body ?? {}).find((name) => !fields.has(name));
  if (call.faults.strict !== undefined && unknown !== undefined) {
    throw rejectOpenAi({ status: 400, message: `Unrecognized request argument supplied: ${unknown}` });
  }
  if (call.model === undefined) throw rejectOpenAi({ status: 400, message: "you must provide a model parameter" });
  const model = models[call.model];
  if (model === undefined) {
    const message = `The model \`${call.model}\` does not exist or you do not have access to it.`;
    throw rejectOpenAi({ status: 404, message, code: "model_not_found" });
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const issue = firstIssue(parsed.error, body);
    if (issue.param.startsWith("input") && issue.problem.kind !== "length" && issue.problem.kind !== "missing") {
      throw rejectOpenAi({ status: 400, message: wrongInput });
    }
    throw rejectOpenAi({ status: 400, param: issue.param, ...openAiWording(issue) });
  }
  const inputs = inputsOf(parsed.data.input);
  const tokens = checkInputs(inputs);
  const dimensions = checkDimensions(parsed.data.dimensions, model);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  const base64 = parsed.data.encoding_format === "base64";
  return embeddingList(call, { model: call.model, inputs, dimensions, base64, tokens, usage });
}
