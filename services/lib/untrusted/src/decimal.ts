const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
const maxLength = 100;

/**
 * Converts a decimal number in JSON's notation (`0.06`, `6.2e-05`) to an integer of 10^-scale,
 * without floating point: digits beyond the scale are rounded half away from zero.
 * @returns undefined for a text that is not a decimal number, or is longer than 100 characters
 */
export function scaledDecimal(text: string, scale: number): bigint | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    text.length <= maxLength ? (decimal.exec(text) ?? []) : [];
  if (sign === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  const shift = scale + Number(exponent) - fraction.length;
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedQuotient(digits, 10n ** BigInt(-shift));
  return sign === "-" ? -amount : amount;
}

/** The quotient of two positive integers, rounded half up. */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
