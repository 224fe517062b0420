import { pathOf } from "@uag/runtime/http/target";

const shape = /^[A-Za-z0-9_-]{1,100}$/;

/**
 * The id that follows a collection's name in a path; empty for invalid text, which is handled
 * like one that does not exist.
 */
export function idIn(target: string, collection: string): string {
  const segments = pathOf(target).split("/");
  const id = segments[segments.lastIndexOf(collection) + 1] ?? "";
  return shape.test(id) ? id : "";
}
