import { imageRequests } from "@uag/contract/requests/images";
import { z } from "zod";
import type { Model } from "../gateway/models.ts";
import { pictures, picturesOf } from "./pictures.ts";
import { costOf, costUsd, modelField, optionalField, present } from "./schemas.ts";
import { defineTool, modelsFor } from "./tool.ts";
import { ToolError } from "./tool-error.ts";

const operation = "images.generations";

const { model, prompt, n, quality } = imageRequests.gamma.shape;
const { negative_prompt, seed } = imageRequests.alpha.shape.parameters.unwrap().unwrap().shape;

const input = z.object({
  model: modelField(model),
  prompt,
  size: z
    .string()
    .regex(/^\d{2,5}[x*]\d{2,5}$/)
    .optional()
    .describe("Width x height, such as 1024x1024; list_models shows the sizes of each model."),
  n: optionalField(n).describe("Number of images; most models generate one."),
  quality: optionalField(quality).describe("For models that are priced by quality."),
  images: z
    .array(z.string().max(16 * 1024 * 1024))
    .min(1)
    .max(16)
    .optional()
    .describe(
      "Reference images, as https URLs (or data URLs, if the model accepts them); alpha-image-edit models need 1 to 3.",
    ),
  negative_prompt: optionalField(negative_prompt).describe("What to avoid; alpha models only."),
  seed: optionalField(seed).describe("Seed for reproducible results."),
});

type Input = z.infer<typeof input>;

export const generateImage = defineTool({
  name: "generate_image",
  title: "Generate an image",
  description:
    "Generates images from a prompt, optionally with reference images. Billed per image or per token. Small images are returned inline, larger ones as links valid for 24 hours.",
  operation,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input,
  output: z.object({ model: z.string(), pictures, cost_usd: costUsd }),
  async run(args, { exchange, idempotencyKey, signal }) {
    const model = modelsFor(operation, exchange.models).find(({ id }) => id === args.model);
    // For a model that is not in the list, the gateway reports the best error.
    const json = model === undefined ? openAiBody(args) : bodyFor(model, args);
    const response = await exchange.call({
      method: "POST",
      path: "/v1/images/generations",
      json,
      idempotencyKey,
      signal,
    });
    const { pictures, content } = await picturesOf(response, exchange);
    return { structured: { model: args.model, pictures, ...costOf(response.headers) }, content };
  },
});

/** Each family has its own request format on the one path. */
function bodyFor({ image }: Model, args: Input): object {
  if (image?.family === "alpha") return alphaBody(args);
  if (args.images !== undefined && image?.references.max === 0)
    throw new ToolError("images: this model takes none here; use edit_image with one that edits, or another model.");
  return openAiBody(args);
}

function alphaBody({ model, prompt, images = [], size, negative_prompt, seed }: Input): object {
  const content = [{ text: prompt }, ...images.map((image) => ({ image }))];
  const parameters = present({ size: size?.replace("x", "*"), negative_prompt, seed });
  return { model, input: { messages: [{ role: "user", content }] }, parameters };
}

function openAiBody({ model, prompt, images, size, n, quality, seed }: Input): object {
  return present({ model, prompt, n, quality, seed, size: size?.replace("*", "x"), image: images });
}
