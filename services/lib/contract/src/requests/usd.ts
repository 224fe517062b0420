/**
 * An amount of USD, as text or as a JSON number, in nano-USD; undefined when it is not an amount,
 * or has more than nine decimals. A number is read by its shortest decimal form, so 0.1 is exactly
 * a tenth.
 */
export function nanoUsdOf(amount: string | number): bigint | undefined {
  const text = typeof amount === "string" ? amount : decimalText(amount);
  const [, sign, whole = "", fraction = ""] = /^(-?)(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const nano = BigInt(whole + fraction.padEnd(9, "0"));
  return sign === "-" ? -nano : nano;
}

function decimalText(amount: number): string {
  const shortest = String(amount);
  if (!shortest.includes("e")) return shortest;
  const fixed = amount.toFixed(9);
  return Number(fixed) === amount ? fixed : "";
}
