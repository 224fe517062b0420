import type { LinkHandler } from "@uag/kit/link/server.ts";
import type { MediaContext } from "./context.ts";
import { editImages } from "./images/edits/edit.ts";
import { generateImages } from "./images/generate.ts";

/** What this service answers, by the names that the router's table uses. */
export function operations(context: MediaContext): Record<string, LinkHandler> {
  return {
    "images.generations": generateImages(context),
    "images.edits": editImages(context),
  };
}
