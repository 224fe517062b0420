/** The raster formats that models accept, by their first bytes. */
const signatures: readonly [format: string, bytes: readonly number[], offset: number][] = [
  ["png", [0x89, 0x50, 0x4e, 0x47], 0],
  ["jpeg", [0xff, 0xd8, 0xff], 0],
  ["gif", [0x47, 0x49, 0x46, 0x38], 0],
  ["webp", [0x57, 0x45, 0x42, 0x50], 8],
  ["bmp", [0x42, 0x4d], 0],
  ["tiff", [0x49, 0x49, 0x2a, 0x00], 0],
  ["tiff", [0x4d, 0x4d, 0x00, 0x2a], 0],
  ["heif", [0x66, 0x74, 0x79, 0x70], 4],
];

const header = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z0-9=_.-]+)*;base64,/i;

/** What is wrong with an image's data URL, in user-facing words; undefined when nothing is. */
export function imageDataUrlFault(url: string): string | undefined {
  const match = header.exec(url);
  if (match === null) return "must be a data URL of the form data:image/<type>;base64,<data>";
  if (!match[1]?.toLowerCase().startsWith("image/")) return "must be a data URL of an image";
  const start = match[0].length;
  if (!isBase64(url, start)) return "is not valid base64";
  const head = Buffer.from(url.slice(start, start + 24), "base64");
  const known = signatures.some(([, bytes, offset]) => bytes.every((byte, index) => head[offset + index] === byte));
  return known ? undefined : "is not an image in a supported format (PNG, JPEG, GIF, WebP)";
}

const base64Tail = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** Characters checked at a time; four are three bytes. */
const chunkChars = 64 * 1024;
const decoded = Buffer.alloc((chunkChars / 4) * 3);

/** Whether the text from `start` on is base64, in either alphabet, padded or not. */
export function isBase64(text: string, start = 0): boolean {
  const length = text.length - start;
  if (length === 0 || length % 4 === 1) return false;
  const body = text.length - Math.min(4, length);
  // Decoding is many times faster than a regular expression. It skips characters that are not
  // base64, and misreads those that are not ASCII; both show in the length.
  for (let at = start; at < body; at += chunkChars) {
    const chunk = text.slice(at, Math.min(at + chunkChars, body));
    const bytes = Math.floor((chunk.length * 3) / 4);
    if (Buffer.byteLength(chunk) !== chunk.length || decoded.write(chunk, "base64") !== bytes) return false;
  }
  return base64Tail.test(text.slice(body));
}
