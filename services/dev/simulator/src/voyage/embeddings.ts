import { z } from "zod";
import { countTokens } from "../content/tokens.ts";
import { embeddingList, inputsOf } from "../embeddings/list.ts";
import type { Call, Reply } from "../http/types.ts";
import { rejectVoyage } from "./protocol.ts";

interface VoyageModel {
  readonly tokensTogether: number;
  readonly dimensions: readonly number[];
  readonly context: number;
}

const flexible = [256, 512, 1024, 2048];
const large: VoyageModel = { tokensTogether: 120_000, dimensions: flexible, context: 32_000 };
const middle: VoyageModel = { ...large, tokensTogether: 320_000 };
const lite: VoyageModel = { ...large, tokensTogether: 1_000_000 };
const fixed: VoyageModel = { ...large, dimensions: [1024] };

const models: { readonly [id: string]: VoyageModel } = {
  "voyage-4-large": large,
  "voyage-4": middle,
  "voyage-4-lite": lite,
  "voyage-3-large": large,
  "voyage-3.5": middle,
  "voyage-3.5-lite": lite,
  "voyage-code-3": large,
  "voyage-finance-2": fixed,
  "voyage-law-2": { ...fixed, context: 16_000 },
};

const usual = 1024;
const maxBatch = 1000;

const schema = z.strictObject({
  input: z.union([z.string(), z.array(z.string())]),
  model: z.string(),
  input_type: z.enum(["query", "document"]).nullish(),
  truncation: z.boolean().nullish(),
  output_dimension: z.int().nullish(),
  output_dtype: z.enum(["float", "int8", "uint8", "binary", "ubinary"]).nullish(),
  encoding_format: z.literal("base64").nullish(),
});
type Request = z.infer<typeof schema>;

function wording(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue?.code === "unrecognized_keys") {
    return `Argument '${issue.keys[0]}' is not supported by our API.`;
  }
  return `Value for argument '${issue?.path.join(".") ?? ""}' is invalid: ${issue?.message ?? "wrong value"}.`;
}

function checked(call: Call): { request: Request; model: VoyageModel } {
  const { body } = call;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw rejectVoyage(422, "The request body is not a JSON object.");
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw rejectVoyage(400, wording(parsed.error));
  const model = models[call.model ?? ""];
  if (model !== undefined) return { request: parsed.data, model };
  const names = Object.keys(models).join(", ");
  throw rejectVoyage(400, `Model ${call.model} is not supported. Supported models are ${names}.`);
}

function countedTokens(inputs: readonly string[], request: Request, model: VoyageModel): number {
  let total = 0;
  for (const input of inputs) {
    const tokens = countTokens(input);
    if (tokens > model.context && request.truncation === false) {
      throw rejectVoyage(400, `An input has ${tokens} tokens, more than the context length of ${model.context}.`);
    }
    total += Math.min(tokens, model.context);
  }
  if (total <= model.tokensTogether) return total;
  throw rejectVoyage(
    400,
    `The max allowed tokens per submitted batch is ${model.tokensTogether}. Your batch has ${total} tokens after truncation. Please lower the number of tokens in the batch.`,
  );
}

/** `POST /v1/embeddings` */
export function voyageEmbeddings(call: Call): Reply {
  const { request, model } = checked(call);
  const inputs = inputsOf(request.input).filter((input) => typeof input === "string");
  if (inputs.length === 0 || inputs.some((input) => input === "")) {
    throw rejectVoyage(400, "Input cannot contain empty strings or empty lists");
  }
  if (inputs.length > maxBatch) {
    throw rejectVoyage(400, `The batch size limit is ${maxBatch}. Your batch size is ${inputs.length}.`);
  }
  if ((request.output_dtype ?? "float") !== "float") {
    throw rejectVoyage(400, `The simulator has no vectors of output_dtype '${request.output_dtype}'.`);
  }
  const dimensions = request.output_dimension ?? usual;
  if (!model.dimensions.includes(dimensions)) {
    const allowed = model.dimensions.join(", ");
    throw rejectVoyage(
      400,
      `Value ${dimensions} for output_dimension is invalid: model ${call.model} takes ${allowed}.`,
    );
  }
  const tokens = countedTokens(inputs, request, model);
  const base64 = request.encoding_format === "base64";
  const usage = { total_tokens: tokens };
  return embeddingList(call, { model: call.model ?? "", inputs, dimensions, base64, tokens, usage });
}
