import { Pace } from "@uag/runtime/pace";

const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): object };

/** JSON in which every bigint is an exact integer. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? rawJSON(String(part)) : part));
}

/**
 * Like {@link jsonText}, for a response body: its lists are written in turns of the event loop, an
 * element at a time.
 */
export async function jsonTextInTurns(body: object): Promise<string> {
  const pace = new Pace();
  const members: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const text = Array.isArray(value) ? await listText(value, pace) : jsonText(value);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

async function listText(list: readonly unknown[], pace: Pace): Promise<string> {
  const texts: string[] = [];
  for (const element of list) {
    texts.push(jsonText(element) ?? "null");
    if (pace.isOver) await pace.rest();
  }
  return `[${texts.join(",")}]`;
}

/** Unix milliseconds as ISO 8601; null for 0, which means never. */
export function timeText(ms: bigint): string | null {
  return ms === 0n ? null : new Date(Number(ms)).toISOString();
}

/** One page, in the format of OpenAI's listings. */
export function listOf(data: readonly unknown[], nextCursor: string): object {
  return { object: "list", data, has_more: nextCursor !== "", next_cursor: nextCursor === "" ? null : nextCursor };
}

/** A limit as billing has it, where 0 means none. */
export const shownLimit = (value: bigint | undefined): bigint | null => (value ? value : null);
