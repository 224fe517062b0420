import type { Capability } from "@uag/capability/start.ts";
import type { MediaContext } from "./context.ts";
import { editImages } from "./images/edits/edit.ts";
import { generateImages, generationErrors } from "./images/generate.ts";

/** What this service answers, by the names that the router's table uses. */
export function operations(context: MediaContext): Required<Pick<Capability, "operations" | "formats">> {
  return {
    operations: {
      "images.generations": generateImages(context),
      "images.edits": editImages(context),
    },
    formats: { "images.generations": generationErrors(context) },
  };
}
