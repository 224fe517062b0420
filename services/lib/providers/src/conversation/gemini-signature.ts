/**
 * Gemini's thought signatures, where a format has a place for the signature of thinking. They are
 * marked, because a client may continue its conversation with another provider's model, which
 * rejects a signature that it did not write; so does Gemini.
 */
const mark = "gemini:";

/** @param signature in base64, as Gemini sends it */
export const markedSignature = (signature: string): string => `${mark}${signature}`;

/** Gemini's own signature; undefined for that of another provider. */
export function geminiSignature(signature: string): string | undefined {
  return signature.startsWith(mark) ? signature.slice(mark.length) : undefined;
}
