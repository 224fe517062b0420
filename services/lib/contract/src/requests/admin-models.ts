import { z } from "zod";
import { modelId, name } from "./admin-fields.ts";

const maxUpstreams = 20;

/** A part of the catalogue's row; billing validates it by the catalogue's own schema. */
const part = z.record(z.string(), z.unknown());
const tokens = z.int().positive();
const words = z.array(z.string().max(100)).max(20);

const upstream = z.strictObject({
  provider: name.describe("A provider of the catalogue."),
  model: name.min(1).optional().describe("The provider's name for the model; default: the model's id."),
  weight: z.number().positive().optional().describe("Share of the calls among upstreams of the same priority."),
  priority: z.int().min(0).optional().describe("Upstreams of the lowest number are tried first."),
  cost: part
    .optional()
    .describe(
      "What you pay there, USD in the units of the model's price; a unit that is left out, or all: the model's price. Compared by the strategy `least_cost`.",
    ),
  batch: z
    .strictObject({ items: z.int().positive(), tokens })
    .optional()
    .describe("Maximum size of one embeddings call; required for embeddings."),
  vectors_cut_here: z
    .boolean()
    .optional()
    .describe("The upstream supports one vector size only; the gateway shortens vectors."),
});

/** How a request's upstream is chosen among those that serve its model. */
export const routingStrategy = z
  .enum(["priority", "weighted", "least_latency", "least_cost"])
  .describe(
    "How requests are distributed over the upstreams that are available. `priority` (default): those of the lowest priority number, by weight. `weighted`: all, by weight. `least_latency`: the one with the shortest recent time to the response, calls in progress included (peak EWMA). `least_cost`: the one with the lowest `cost`, three parts of input and one of output; of equal ones, by weight.",
  );

/** Maximum fallback models of one model. */
const maxFallbacks = 4;

/** The models that respond in a model's place. */
export const modelFallbacks = z
  .array(modelId)
  .max(maxFallbacks)
  .describe(
    "Ids of models that respond in its place, in this order, if all its upstreams fail before any output, or cool down. Only for a model that generates text. The key must be able to use the model, and the model must fit the request. The hold covers the most expensive of them; the bill is that of the model that responded.",
  );

/** Fields of a model's row in the catalogue. */
const fields = {
  aliases: z
    .array(modelId)
    .max(20)
    .describe("Other names for it in requests. A key that may use one of its names may use the model."),
  owned_by: name.min(1).describe("Default: the first upstream's provider."),
  display_name: name.min(1),
  operations: words.min(1).describe("The operations that the model serves, such as `chat.completions`."),
  context_tokens: tokens.describe("Required for a model that generates text."),
  max_output_tokens: tokens.describe("Required for a model that generates text."),
  input: words.describe("Modalities of the input; default: text."),
  output: words.describe("Modalities of the output; default: text."),
  reasoning: part.describe("Present for a reasoning model, as in the catalogue's file."),
  embedding: part.describe("Present for an embeddings model, as in the catalogue's file."),
  speech: part.describe("Present for a text-to-speech model, as in the catalogue's file."),
  image: part.describe("Present for a model that generates images, as in the catalogue's file."),
  image_tokens: tokens.describe("Maximum tokens of one input image."),
  original_image_tokens: tokens.describe("The same for an image that is read at its original resolution."),
  default_image_detail: name.describe("How an image is read whose request names no detail: high or original."),
  search: part.describe("How web searches that the provider runs are held for, as in the catalogue's file."),
  tokenizer_margin: z
    .number()
    .min(1)
    .describe("Maximum tokens that the model counts for one token of the gateway's tokenizer."),
  output_cap_field: name.describe("The only name under which the upstream accepts the output cap."),
  stream_only: z.boolean().describe("The upstream only streams."),
  price: part.describe(
    "USD per million tokens or characters, per image, search and second of video, as in the catalogue's file.",
  ),
  strategy: routingStrategy,
  fallbacks: modelFallbacks,
  upstreams: z.array(upstream).min(1).max(maxUpstreams).describe("The providers that serve the model."),
} as const;

type Fields = typeof fields;

/** The fields, each in another form. */
const each = <K extends "optional" | "nullish">(form: K) =>
  Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => [field, (schema as z.ZodType)[form]()]),
  ) as unknown as {
    [F in keyof Fields]: K extends "optional" ? z.ZodOptional<Fields[F]> : z.ZodOptional<z.ZodNullable<Fields[F]>>;
  };

/** Body of `POST /admin/v1/models`. */
export const createModelRequest = z.strictObject({
  id: modelId.describe("Its name in requests."),
  like: name
    .optional()
    .describe("The id of a model to copy: fields that the request omits, and the current price, are taken from it."),
  enabled: z.boolean().optional().describe("Default: true."),
  ...each("optional"),
});

/** Body of `PATCH /admin/v1/models/{model}`. Null: as in the catalogue's file, or the default. */
export const updateModelRequest = z.strictObject({
  revision: z
    .int()
    .min(0)
    .describe("The revision that you read; the request is refused with 409 if the model was changed since."),
  enabled: z.boolean().optional().describe("A disabled model gets no new requests; those in progress are completed."),
  ...each("nullish"),
});
