import { parseMediaType } from "@uag/untrusted/http/media-type";

/** RFC 2046, 5.1.1: a boundary has 1 to 70 characters. */
const maxBoundaryLength = 70;

/**
 * The boundary between a form's parts, from its content type; undefined when there is no valid one.
 */
export function boundaryOf(contentType: string | undefined): string | undefined {
  const boundary = parseMediaType(contentType ?? "")?.parameters.get("boundary") ?? "";
  return boundary === "" || boundary.length > maxBoundaryLength ? undefined : boundary;
}
