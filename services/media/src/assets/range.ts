import type { ByteRange } from "@uag/runtime/objects/store";

const single = /^bytes=(\d*)-(\d*)$/;

/**
 * The part of a file requested by a `range` header (RFC 9110, 14.2). Undefined: the whole file,
 * which is also the response to several ranges and to invalid ones.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const match = single.exec(header?.replaceAll(/\s/g, "") ?? "");
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end };
}
