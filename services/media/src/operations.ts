import type { Operations } from "@uag/capability/operation/operation.ts";
import type { MediaContext } from "./context.ts";
import { createImages } from "./images/create-images.ts";
import { editImages } from "./images/edits/edit-images.ts";

/** What this service serves, by the names that the router's table uses. */
export function operations(context: MediaContext): Operations {
  return { "images.generations": createImages(context), "images.edits": editImages(context) };
}
