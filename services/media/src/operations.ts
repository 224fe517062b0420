import type { Operations } from "@uag/capability/operation/operation.ts";
import type { MediaContext } from "./context.ts";
import { createImages } from "./images/create-images.ts";
import { editImages } from "./images/edits/edit-images.ts";

/** The operations of this service, by their names in the router's table. */
export function operations(context: MediaContext): Operations {
  return { "images.generations": createImages(context), "images.edits": editImages(context) };
}
