type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Keeps the digits of a number that a double may not represent. */
const keepDigits: Reviver = (_, value, { source }) =>
  typeof value === "number" && !Number.isSafeInteger(value) ? source : value;

/**
 * Parses JSON without losing digits: a number that is not a safe integer becomes its text, as in
 * `{"amount":0.1}` -> `{ amount: "0.1" }`.
 * @throws {SyntaxError}
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}
