import type { sizings } from "@uag/catalog/sizing";
import type { UnitName } from "@uag/catalog/units";
import { type Fields, fieldsOf, isFields, listOf } from "../conversation/fields.ts";
import type { GenerationCall } from "../generation.ts";
import { geminiParts, hasUnknownMember, isGeminiText, isTextPart } from "../passed-fields/parts.ts";
import { mayReason } from "../reasoning.ts";

/** What a provider shows of a stream before its end. */
export interface Visibility {
  /** The model may think without sending its thoughts. */
  readonly thinksUnseen: boolean;
  /** The prompt's usage, cached tokens included, comes before the output. */
  readonly reportsPromptFirst: boolean;
  /** Shortest prompt that the provider reads from a cache, tokens. */
  readonly cachesFromTokens: number;
}

export type StreamCall = Pick<GenerationCall, "body" | "fields" | "hasUnclassedField" | "model" | "runsTools">;

type GenerationUnit = (typeof sizings.generation)[keyof typeof sizings.generation][number];
type Hides = (call: StreamCall, shown: Visibility) => boolean;

const searches: Hides = ({ runsTools }) => runsTools;
const thoughts: Hides = (_, { thinksUnseen }) => thinksUnseen;
const media: Hides = ({ fields }, { reportsPromptFirst }) => !reportsPromptFirst && hasMedia(fields);
const speech: Hides = ({ fields, model }) => requestsSpeech(fields) || model.output.has("audio");
/** A token is at least one byte, so a shorter body cannot have been cached. */
const cache: Hides = ({ body }, { reportsPromptFirst, cachesFromTokens }) =>
  !reportsPromptFirst && body.length >= cachesFromTokens;

/**
 * When the usage of each unit cannot be derived from what was received of a response. Our own count
 * of the prompt is of its text, as uncached input. Where only the unit is unknown, and not the
 * number of tokens, `input_tokens` and `output_tokens` are not hidden.
 */
const hidden: Readonly<Record<GenerationUnit, Hides>> = {
  input_tokens: (call, shown) => searches(call, shown) || media(call, shown),
  cached_input_tokens: cache,
  cache_write_5m_tokens: cache,
  cache_write_1h_tokens: cache,
  image_input_tokens: media,
  video_input_tokens: media,
  audio_input_tokens: media,
  cached_audio_input_tokens: media,
  output_tokens: (call, shown) => thoughts(call, shown) || speech(call, shown),
  // The price of all output depends on whether the model has thought.
  thinking_output_tokens: ({ fields, model }, { thinksUnseen }) => thinksUnseen || mayReason(model.reasoning, fields),
  audio_output_tokens: speech,
  web_searches: searches,
};

/**
 * The priced units whose usage neither what was received of a response nor our own count of the
 * prompt can contain: all of them for a request with a field of unknown effect. A stream with such
 * units must be read to its usage when its client disconnects.
 */
export function hiddenUnits(call: StreamCall, shown: Visibility): ReadonlySet<UnitName> {
  const { rates, tiers } = call.model.price;
  const priced = [rates, ...tiers.map((tier) => tier.rates)].flatMap((each) => [...each.keys()]);
  const units = priced.filter((unit): unit is GenerationUnit => Object.hasOwn(hidden, unit));
  return new Set(units.filter((unit) => call.hasUnclassedField === true || hidden[unit](call, shown)));
}

/** Whether the response is to be spoken. */
export function requestsSpeech({ audio, modalities }: Fields): boolean {
  return audio != null || (Array.isArray(modalities) && modalities.includes("audio"));
}

/** Whether a prompt has parts whose tokens are not those of its text. */
function hasMedia(fields: Fields): boolean {
  const { messages, input } = fields;
  // `audio.id` refers to an earlier spoken response.
  const isSpoken = (item: unknown): boolean => isFields(fieldsOf(item)["audio"]);
  if (listOf(messages).some((message) => hasUnknownMember(message) || isSpoken(message))) return true;
  if (geminiParts(fields).some((part) => !isGeminiText(part))) return true;
  return [...listOf(messages), ...listOf(input)].map(fieldsOf).some(hasMediaPart);
}

function hasMediaPart({ content, output }: Fields): boolean {
  return [...listOf(content), ...listOf(output)].map(fieldsOf).some(isMedia);
}

function isMedia(part: Fields): boolean {
  return part["type"] === "tool_result" ? hasMediaPart(part) : !isTextPart(part);
}
