const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): object };

/** JSON with every bigint as a whole number, to its last digit. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? rawJSON(String(part)) : part));
}

/** Unix milliseconds as ISO 8601; null for 0, which stands for never. */
export function timeText(ms: bigint): string | null {
  return ms === 0n ? null : new Date(Number(ms)).toISOString();
}

/** One page, in the shape of OpenAI's listings. */
export function listOf(data: readonly unknown[], nextCursor: string): object {
  return { object: "list", data, has_more: nextCursor !== "", next_cursor: nextCursor === "" ? null : nextCursor };
}
