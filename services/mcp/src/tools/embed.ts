import { z } from "zod";
import { costOf, costUsd, modelId, present } from "./schemas.ts";
import { defineTool } from "./tool.ts";

const responseBody = z.object({
  model: z.string(),
  data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })),
  usage: z.object({ prompt_tokens: z.number(), total_tokens: z.number() }),
});

export const embed = defineTool({
  name: "embed",
  title: "Embed texts",
  description: "Turns texts into vectors, whose nearness is that of their meaning. Costs money by the token.",
  operation: "embeddings",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.object({
    model: modelId,
    texts: z.array(z.string().min(1)).min(1).max(256),
    dimensions: z.int().positive().optional().describe("Size of the vectors, where the model has several."),
  }),
  output: z.object({
    model: z.string(),
    vectors: z.array(z.array(z.number())).describe("In the order of the texts."),
    usage: responseBody.shape.usage,
    cost_usd: costUsd,
  }),
  async run({ model, texts, dimensions }, { exchange, idempotencyKey, signal }) {
    const json = present({ model, input: texts, dimensions });
    const response = await exchange.call({ method: "POST", path: "/v1/embeddings", json, idempotencyKey, signal });
    const { data, usage, ...rest } = responseBody.parse(await response.json());
    const vectors = data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
    return { structured: { model: rest.model, vectors, usage, ...costOf(response.headers) } };
  },
});
