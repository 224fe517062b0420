const prefix = "gAAAAAB";

/** The model's reasoning as only this provider can read it. */
export const sealReasoning = (text: string): string => `${prefix}${Buffer.from(text).toString("base64url")}`;

/** The reasoning in it; undefined if another provider made it. */
export function openReasoning(sealed: string): string | undefined {
  if (!sealed.startsWith(prefix)) return undefined;
  return Buffer.from(sealed.slice(prefix.length), "base64url").toString("utf8");
}
