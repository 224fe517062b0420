const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): object };

/** JSON in which every bigint is an exact integer. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? rawJSON(String(part)) : part));
}

/** Unix milliseconds as ISO 8601; null for 0, which means never. */
export function timeText(ms: bigint): string | null {
  return ms === 0n ? null : new Date(Number(ms)).toISOString();
}

/** One page, in the format of OpenAI's listings. */
export function listOf(data: readonly unknown[], nextCursor: string): object {
  return { object: "list", data, has_more: nextCursor !== "", next_cursor: nextCursor === "" ? null : nextCursor };
}
