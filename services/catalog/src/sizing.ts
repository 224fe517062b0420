import type { UnitName } from "./units.ts";

const textIn = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_5m_tokens",
  "cache_write_1h_tokens",
] as const satisfies readonly UnitName[];
const mediaIn = [...textIn, "image_input_tokens", "video_input_tokens"] as const satisfies readonly UnitName[];
const soundIn = [...mediaIn, "audio_input_tokens", "cached_audio_input_tokens"] as const satisfies readonly UnitName[];
const textOut = ["output_tokens", "thinking_output_tokens"] as const satisfies readonly UnitName[];
const soundOut = [...textOut, "audio_output_tokens"] as const satisfies readonly UnitName[];

/** What a prompt, and an answer, may be counted as. The sizing of chat takes the dearest of a list for its hold. */
export const tokenUnits = { textIn, mediaIn, soundIn, textOut, soundOut };

const chat: readonly UnitName[] = [...soundIn, ...soundOut, "web_searches"];
const images: readonly UnitName[] = [
  "images",
  "input_images",
  "input_tokens",
  "image_input_tokens",
  "output_tokens",
  "image_output_tokens",
];

/**
 * Which units the sizing of an operation bounds. A hold is an upper bound only while a model has prices for these and no
 * others: a unit that is billed and not held for is money nobody has set aside.
 */
const boundedUnits: Readonly<Record<string, readonly UnitName[]>> = {
  "chat.completions": chat,
  messages: chat,
  embeddings: ["input_tokens"],
  "audio.speech": ["characters"],
  "images.generations": images,
  "images.edits": images,
  "videos.generations": ["video_seconds", "output_tokens"],
};

/** Those of a model's priced units that the sizing of none of its operations bounds. */
export function unboundedUnits(operations: readonly string[], priced: readonly UnitName[]): UnitName[] {
  const bounded = new Set(operations.flatMap((operation) => boundedUnits[operation] ?? []));
  return priced.filter((unit) => !bounded.has(unit));
}

/** What must have a price before an operation can be held for; one of each list. Variants count. */
const neededUnits: Readonly<Record<string, readonly (readonly UnitName[])[]>> = {
  "chat.completions": [["input_tokens"], ["output_tokens"]],
  messages: [["input_tokens"], ["output_tokens"]],
  embeddings: [["input_tokens"]],
  "audio.speech": [["characters"]],
  "images.generations": [["images", "image_output_tokens"]],
  "images.edits": [["images", "image_output_tokens"]],
  "videos.generations": [["video_seconds", "output_tokens"]],
};

/** What a model's price lacks: one line for each operation that could never be held for. */
export function missingUnits(operations: readonly string[], priced: readonly UnitName[]): string[] {
  return operations.flatMap((operation) =>
    (neededUnits[operation] ?? [])
      .filter((anyOf) => !anyOf.some((unit) => priced.includes(unit)))
      .map((anyOf) => `${operation} needs a price of ${anyOf.join(" or ")}`),
  );
}
