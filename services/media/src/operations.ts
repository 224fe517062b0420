import type { OperationsOf } from "@uag/pipeline/operation/operation";
import type { MediaContext } from "./context.ts";
import { createImages } from "./images/create-images.ts";
import { editImages } from "./images/edits/edit-images.ts";

/** The operations on images, by their names in the table of routes. */
export function operations(context: MediaContext): Pick<OperationsOf<"media">, "images.generations" | "images.edits"> {
  return { "images.generations": createImages(context), "images.edits": editImages(context) };
}
