import type { Operations } from "@uag/capability/operation/operation.ts";
import type { MediaContext } from "./context.ts";
import { openAiFormat } from "./images/answers/openai.ts";
import { editImages } from "./images/edits/edit.ts";
import { generateImages, generationErrors } from "./images/generate.ts";

/** What this service answers, by the names that the router's table uses. */
export function operations(context: MediaContext): Operations {
  return {
    "images.generations": { handler: generateImages(context), errorFormat: generationErrors(context) },
    "images.edits": { handler: editImages(context), errorFormat: () => openAiFormat },
  };
}
