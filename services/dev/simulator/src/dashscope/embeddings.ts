import { z } from "zod";
import { firstIssue } from "../completions/issue.ts";
import { countTokens } from "../content/tokens.ts";
import { embeddingList, inputsOf } from "../embeddings/list.ts";
import type { Call, Reply } from "../http/types.ts";
import { rejectDashScope } from "./protocol.ts";
import { qwenWording } from "./wording.ts";

const models: { readonly [id: string]: readonly number[] } = {
  "text-embedding-v4": [2048, 1536, 1024, 768, 512, 256, 128, 64],
  "text-embedding-v3": [1024, 768, 512, 256, 128, 64],
};

const usual = 1024;
const maxBatch = 10;
const tokensEach = 8192;
const algo = "<400> InternalError.Algo.InvalidParameter:";

const schema = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string())]),
  dimensions: z.int().optional(),
  encoding_format: z.literal("float").optional(),
});

function refuse(message: string): never {
  throw rejectDashScope({ status: 400, message: `${algo} ${message}` });
}

function checkedTokens(inputs: readonly unknown[]): number {
  if (inputs.length === 0) refuse("Value error, contents is neither str nor list of str.: input.contents");
  if (inputs.length > maxBatch) {
    refuse(`Value error, batch size is invalid, it should not be larger than ${maxBatch}.: input.contents`);
  }
  let total = 0;
  for (const input of inputs) {
    const tokens = typeof input === "string" ? countTokens(input) : 0;
    if (tokens < 1 || tokens > tokensEach) refuse(`Range of input length should be [1, ${tokensEach}]`);
    total += tokens;
  }
  return total;
}

/** `POST /compatible-mode/v1/embeddings` */
export function qwenEmbeddings(call: Call): Reply {
  const { body, model = "" } = call;
  const known = models[model];
  if (known === undefined) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`;
    throw rejectDashScope({ status: 404, message, code: "model_not_found" });
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw rejectDashScope({ status: 400, message: qwenWording(firstIssue(parsed.error, body)) });
  const inputs = inputsOf(parsed.data.input);
  const tokens = checkedTokens(inputs);
  const { dimensions = usual } = parsed.data;
  if (!known.includes(dimensions)) {
    refuse(`Value error, dimension should be one of [${known.join(", ")}].: parameters.dimension`);
  }
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return embeddingList(call, {
    model,
    inputs,
    dimensions,
    base64: false,
    tokens,
    usage,
    fields: { id: call.newId("") },
  });
}
