import { priceList } from "./price-list.ts";
import type { ImageLimits, Model } from "./types.ts";

/** A model as shown to API clients: see `model` of `services/lib/contract/src/responses/chat.ts`. */
export function modelEntry(model: Model): object {
  return {
    id: model.id,
    object: "model",
    created: model.created,
    owned_by: model.ownedBy,
    type: "model",
    display_name: model.displayName,
    created_at: new Date(model.created * 1000).toISOString().replace(".000Z", "Z"),
    operations: [...model.operations],
    input_modalities: [...model.input],
    output_modalities: [...model.output],
    ...(model.contextTokens > 0 && { context_tokens: model.contextTokens }),
    ...(model.maxOutputTokens > 0 && { max_output_tokens: model.maxOutputTokens }),
    ...(model.image && { image: imageOf(model.image) }),
    price: priceList(model.price),
  };
}

function imageOf({ family, sizes, references, maxImages }: ImageLimits): object {
  return { family, sizes, references, max_images: maxImages };
}
