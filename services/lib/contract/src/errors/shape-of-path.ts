import type { ErrorShape } from "./shapes.ts";

/** The error format of a path without a route. */
export function errorShapeOfPath(path: string): ErrorShape {
  if (/^\/v1beta\/|^\/v1\/(?:estimate\/)?models\/[^/?]*:/.test(path)) return "google";
  return /^\/v1\/(?:estimate\/)?messages/.test(path) ? "native" : "nested";
}
