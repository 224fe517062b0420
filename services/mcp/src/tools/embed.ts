import { embeddingRequest, maxEmbeddingInputs } from "@uag/contract/requests/embeddings.ts";
import { embeddingResult } from "@uag/contract/responses/media.ts";
import { z } from "zod";
import { costOf, costUsd, modelField, optionalField, present } from "./schemas.ts";
import { defineTool } from "./tool.ts";

/** Without `encoding_format` vectors are arrays of numbers. */
const vector = z.array(z.number());

export const embed = defineTool({
  name: "embed",
  title: "Embed texts",
  description: "Turns texts into vectors, whose nearness is that of their meaning. Costs money by the token.",
  operation: "embeddings",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.object({
    model: modelField(embeddingRequest.shape.model),
    texts: z.array(z.string().min(1)).min(1).max(maxEmbeddingInputs),
    dimensions: optionalField(embeddingRequest.shape.dimensions).describe(
      "Size of the vectors, where the model has several.",
    ),
  }),
  output: z.object({
    model: embeddingResult.shape.model,
    vectors: z.array(vector).describe("In the order of the texts."),
    usage: embeddingResult.shape.usage,
    cost_usd: costUsd,
  }),
  async run({ model, texts, dimensions }, { exchange, idempotencyKey, signal }) {
    const json = present({ model, input: texts, dimensions });
    const response = await exchange.call({ method: "POST", path: "/v1/embeddings", json, idempotencyKey, signal });
    const { data, usage, ...rest } = embeddingResult.parse(await response.json());
    const vectors = data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => vector.parse(embedding));
    return { structured: { model: rest.model, vectors, usage, ...costOf(response.headers) } };
  },
});
