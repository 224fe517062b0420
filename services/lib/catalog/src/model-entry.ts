import { namesOf } from "./names.ts";
import { priceList } from "./price-list.ts";
import type { ImageLimits, Model } from "./types.ts";

interface Entry {
  readonly id: string;
}

/** A model's entries in a list of models: its own, and one for each other name. */
export const modelEntries = (model: Model): Entry[] =>
  namesOf(model).map((name) =>
    name === model.id ? modelEntry(model) : { ...modelEntry(model), id: name, alias_of: model.id },
  );

/** A model as shown to API clients: see `model` of `services/lib/contract/src/responses/chat.ts`. */
export function modelEntry(model: Model): Entry {
  const entry = {
    id: model.id,
    object: "model",
    created: model.created,
    owned_by: model.ownedBy,
    type: "model",
    display_name: model.displayName,
    ...(model.aliases?.length && { aliases: [...model.aliases] }),
    created_at: new Date(model.created * 1000).toISOString().replace(".000Z", "Z"),
    operations: [...model.operations],
    input_modalities: [...model.input],
    output_modalities: [...model.output],
    ...(model.contextTokens > 0 && { context_tokens: model.contextTokens }),
    ...(model.maxOutputTokens > 0 && { max_output_tokens: model.maxOutputTokens }),
    ...(model.reasoning && { reasoning: { efforts: [...model.reasoning.efforts] } }),
    ...(model.image && { image: imageOf(model.image) }),
    price: priceList(model.price),
  };
  return entry;
}

function imageOf({ family, sizes, references, maxImages }: ImageLimits): object {
  return { family, sizes, references, max_images: maxImages };
}
