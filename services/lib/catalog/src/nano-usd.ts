/**
 * Converts a decimal number of USD to nano-USD, exactly; undefined when it has more than nine
 * decimals.
 */
export function nanoUsd(usd: number): bigint | undefined {
  const text = usd.toFixed(9);
  return Number(text) === usd ? BigInt(text.replace(".", "")) : undefined;
}
