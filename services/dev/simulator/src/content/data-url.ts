/** A decoded `data:` URL. */
export interface DataUrl {
  readonly mimeType: string;
  readonly bytes: Buffer;
}

const base64Text = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes standard base64; undefined for any other character or an impossible length. */
export function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 === 1 || !base64Text.test(text)) return undefined;
  return Buffer.from(text, "base64");
}

/**
 * Decodes `data:<type>;base64,<data>` (the type may be absent); undefined if the text is not in
 * that format.
 */
export function parseDataUrl(url: string): DataUrl | undefined {
  if (!url.startsWith("data:")) return undefined;
  const comma = url.indexOf(",");
  const head = url.slice(5, comma);
  if (comma < 0 || !head.endsWith(";base64")) return undefined;
  const bytes = decodeBase64(url.slice(comma + 1));
  if (bytes === undefined) return undefined;
  return { mimeType: head.slice(0, -";base64".length).split(";")[0] ?? "", bytes };
}
