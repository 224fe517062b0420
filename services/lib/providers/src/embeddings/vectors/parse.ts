/**
 * Parses a JSON list of numbers as 32-bit floats, each rounded to the nearest one.
 * @param range the list with its brackets
 * @throws {SyntaxError} when it is not a flat list of numbers
 */
export function parseFloats(body: Buffer, range: { readonly start: number; readonly end: number }): Float32Array {
  const numbers = JSON.parse(body.toString("latin1", range.start, range.end)) as unknown[];
  for (const value of numbers)
    if (typeof value !== "number") throw new SyntaxError("a vector has a value that is not a number");
  return new Float32Array(numbers as number[]);
}
