import type { ModelOperation, OperationBilled } from "@uag/contract/routes";
import type { UnitName } from "./units.ts";

const textIn = ["input_tokens", "cached_input_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens"] as const;
const mediaIn = [...textIn, "image_input_tokens", "video_input_tokens"] as const;
const textOut = ["output_tokens", "thinking_output_tokens"] as const;

/**
 * For every quantity that a sizing bounds: the units an upstream may count it as. The hold uses the
 * most expensive one. This is the only such list: a hold is an upper bound only if a model has
 * prices for these units and no others, so a catalogue that prices any other unit is refused.
 */
export const sizings = {
  generation: {
    textIn,
    mediaIn,
    soundIn: [...mediaIn, "audio_input_tokens", "cached_audio_input_tokens"],
    textOut,
    soundOut: [...textOut, "audio_output_tokens"],
    /** Uses of provider-side tools. */
    toolUses: ["web_searches"],
  },
  embeddings: { input: ["input_tokens"] },
  rerank: { input: ["input_tokens"] },
  speech: { text: ["characters"] },
  transcriptions: {
    seconds: ["audio_seconds"],
    audio: ["audio_input_tokens"],
    prompt: ["input_tokens"],
    text: ["output_tokens"],
  },
  images: {
    each: ["images"],
    eachReference: ["input_images"],
    prompt: ["input_tokens"],
    references: ["input_tokens", "image_input_tokens"],
    drawn: ["image_output_tokens"],
    text: ["output_tokens"],
  },
  videos: { seconds: ["video_seconds"], tokens: ["output_tokens"], eachReference: ["input_images"] },
} as const satisfies Record<string, Record<string, readonly UnitName[]>>;

/** Units by operation. */
export type UnitsByOperation = Readonly<Record<string, readonly UnitName[]>>;

const textNeeds = [["input_tokens"], ["output_tokens"]] as const;
const transcriptionNeeds = [["audio_seconds", "audio_input_tokens"]] as const;
const imageNeeds = [["images", "image_output_tokens"]] as const;

interface OperationUnits {
  readonly sizing: Readonly<Record<string, readonly UnitName[]>>;
  readonly needs: readonly (readonly UnitName[])[];
}

/**
 * The metered operations a model in the catalogue may have: the sizing of its requests, and the
 * units that need a price before a request can be held for, one of each list. Variants count.
 */
const meteredOperations = {
  "chat.completions": { sizing: sizings.generation, needs: textNeeds },
  messages: { sizing: sizings.generation, needs: textNeeds },
  responses: { sizing: sizings.generation, needs: textNeeds },
  embeddings: { sizing: sizings.embeddings, needs: [["input_tokens"]] },
  rerank: { sizing: sizings.rerank, needs: [["input_tokens"]] },
  "audio.speech": { sizing: sizings.speech, needs: [["characters"]] },
  "audio.transcriptions": { sizing: sizings.transcriptions, needs: transcriptionNeeds },
  "audio.translations": { sizing: sizings.transcriptions, needs: transcriptionNeeds },
  "images.generations": { sizing: sizings.images, needs: imageNeeds },
  "images.edits": { sizing: sizings.images, needs: imageNeeds },
  "videos.generations": { sizing: sizings.videos, needs: [["video_seconds", "output_tokens"]] },
} as const satisfies Record<Extract<ModelOperation, OperationBilled<"metered">>, OperationUnits>;

/** Free operations have no units. */
const unitsOf: Readonly<Partial<Record<ModelOperation, OperationUnits>>> = meteredOperations;

/** The units that each operation's sizing bounds. */
export const boundedUnits: UnitsByOperation = Object.fromEntries(
  Object.entries<OperationUnits>(meteredOperations).map(([operation, { sizing }]) => [
    operation,
    [...new Set(Object.values(sizing).flat())],
  ]),
);

/**
 * A model's priced units that none of its operations' sizings bound.
 * @param bounded default: the actual bounds; tests pass others to show that a lost bound is
 * detected
 */
export function unboundedUnits(
  operations: readonly string[],
  priced: readonly UnitName[],
  bounded: UnitsByOperation = boundedUnits,
): UnitName[] {
  const held = new Set(operations.flatMap((operation) => bounded[operation] ?? []));
  return priced.filter((unit) => !held.has(unit));
}

/** What a model's price lacks: one line for each operation that could never be held for. */
export function missingUnits(operations: readonly ModelOperation[], priced: readonly UnitName[]): string[] {
  return operations.flatMap((operation) => {
    return (unitsOf[operation]?.needs ?? [])
      .filter((anyOf) => !anyOf.some((unit) => priced.includes(unit)))
      .map((anyOf) => `${operation} requires a price of ${anyOf.join(" or ")}`);
  });
}
