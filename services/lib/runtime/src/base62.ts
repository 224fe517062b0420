/** The base62 digits in code point order: texts of equal length sort like their numbers. */
export const base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The last `length` base62 digits of a non-negative number, zero-padded. */
export function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value, i = 0; i < length; i++, rest /= 62n) text = base62Digits[Number(rest % 62n)] + text;
  return text;
}
