import { z } from "zod";

/** Maximum inputs of one call (OpenAI's reference, create embeddings). */
export const maxEmbeddingInputs = 2_048;

const description =
  "A text, a list of texts or, if the model accepts them, a list of token ids or a list of such lists. At most 2,048 inputs.";

/** `POST /v1/embeddings`. The type of `input` depends on the model, so it is read separately. */
export const embeddingRequest = z.object({
  model: z.string().min(1),
  input: z.unknown().meta({
    description,
    oneOf: [
      { type: "string", minLength: 1 },
      { type: "array", items: { type: "string", minLength: 1 }, minItems: 1, maxItems: maxEmbeddingInputs },
      { type: "array", items: { type: "integer", minimum: 0 }, minItems: 1 },
      {
        type: "array",
        items: { type: "array", items: { type: "integer", minimum: 0 }, minItems: 1 },
        minItems: 1,
        maxItems: maxEmbeddingInputs,
      },
    ],
  }),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  dimensions: z.int().positive().nullish(),
  input_type: z
    .enum(["query", "document"])
    .nullish()
    .describe("The purpose of the text, for models that distinguish it."),
  user: z.string().nullish(),
});
