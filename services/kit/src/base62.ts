/**
 * The digits of base62, in the order of their code points: texts of one length sort as their
 * numbers do.
 */
export const base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The last `length` base62 digits of a number that is not negative, with zeros in front. */
export function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value, i = 0; i < length; i++, rest /= 62n) text = base62Digits[Number(rest % 62n)] + text;
  return text;
}
