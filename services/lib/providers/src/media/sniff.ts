const signatures: readonly (readonly [type: string, offset: number, text: string])[] = [
  ["image/png", 0, "\x89PNG"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["application/pdf", 0, "%PDF-"],
  ["audio/wav", 8, "WAVE"],
];

/**
 * Detects the media type by the first bytes: servers often declare a wrong one. Undefined for
 * unknown formats.
 */
export function sniffMediaType(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 16);
  return signatures.find(([, offset, text]) => head.startsWith(text, offset))?.[0];
}
