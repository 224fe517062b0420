import { bound, type Limit } from "@uag/catalog/price";
import { sizings } from "@uag/catalog/sizing";
import type { Model } from "@uag/catalog/types";
import type { UnitName } from "@uag/catalog/units";
import type { Size } from "@uag/pipeline/operation/operation-spec";
import type { Fields } from "@uag/pipeline/request/body";
import { isFields, listOf } from "@uag/providers/conversation/fields";
import { requestsSpeech } from "@uag/providers/disconnect/estimable";
import { maxToolRounds } from "@uag/providers/formats/messages/server-tools";
import { noServerTools, type ServerTools } from "@uag/providers/formats/server-tools";
import { mayReason } from "@uag/providers/reasoning";
import { isUncapped } from "@uag/providers/registry";
import { type MediaSize, mediaOf } from "./media-size.ts";

/** What is known about a request before it is sent. */
export interface Sizing {
  readonly model: Model;
  readonly fields: Fields;
  readonly bodyBytes: number;
  readonly candidates: number;
  readonly outputCap: number | undefined;
  /** The prompt's tokens, if they were counted. */
  readonly promptTokens?: number;
  readonly serverTools?: ServerTools;
  /** The worst case is held for: all of the context, and the longest output. */
  readonly hasUnclassedField?: boolean;
  /** Uses of each tool that the client has not capped; default: the model's catalogue entry. */
  readonly maxUses?: number;
}

const bytesPerToken = 4;

/** Upper bound of a vendor's own prompt for tools. */
const toolPromptTokens = 1_000;

const { textIn, mediaIn, soundIn, textOut, soundOut } = sizings.generation;

/**
 * Bounds a request's cost. A token is at least one byte, so the body's bytes bound the text's
 * tokens; media are bounded by kind; nothing exceeds the model's context.
 *
 * What is reserved from the tokens per minute, until the real count corrects it, is the prompt's
 * likely tokens plus the client's output cap, as Azure counts. OpenAI takes the larger of the two,
 * so that requests in flight exceed the limit by their prompts; an upper bound for uncapped output
 * would make such limits useless.
 * https://learn.microsoft.com/azure/ai-foundry/openai/how-to/quota#understanding-rate-limits
 */
export function generationRequestSize(sizing: Sizing): Size {
  const { model, candidates } = sizing;
  const media = mediaSize(sizing);
  const { input, output, uses } = limitsWith(sizing, media);
  const likelyText = sizing.promptTokens ?? Math.ceil(textTokens(sizing, media) / bytesPerToken);
  const likelyInput = Math.min(likelyText + media.likelyTokens, model.contextTokens);
  const cap = sizing.outputCap === undefined ? 0 : Math.min(sizing.outputCap, outputBound(sizing)) * candidates;
  return {
    holdNanoUsd: bound([input, output, ...uses], model.price),
    tokens: likelyInput + cap,
  };
}

/** What the hold of a request bounds. */
export interface GenerationLimits {
  readonly input: Limit;
  readonly output: Limit;
  /** One for each tool with a price that the upstream may run. */
  readonly uses: readonly Limit[];
}

/** The upper bounds of what a request uses. */
export function generationLimits(sizing: Sizing): GenerationLimits {
  return limitsWith(sizing, mediaSize(sizing));
}

function limitsWith(sizing: Sizing, media: MediaSize): GenerationLimits {
  const { model, candidates, fields } = sizing;
  const { tools, functions } = fields;
  const added = listOf(tools).length + listOf(functions).length > 0 ? toolPromptTokens : 0;
  const output = outputBound(sizing) * candidates + predictedTokens(fields) * candidates;
  const uses = usesOf(sizing);
  const prompt = textTokens(sizing, media) + added + media.tokens;
  const input = inputOfRounds(sizing, { prompt, output, uses });
  const units = media.sound ? soundIn : media.tokens > 0 ? mediaIn : textIn;
  const speaks = requestsSpeech(fields) || model.output.has("audio");
  return {
    input: { quantity: BigInt(input), anyOf: units },
    output: { quantity: BigInt(output), anyOf: speaks ? soundOut : textOut },
    uses: uses.flatMap(({ unit, count }) => (unit === undefined ? [] : [{ quantity: BigInt(count), anyOf: [unit] }])),
  };
}

/** An upper bound of the prompt's tokens that are text. */
const textTokens = ({ promptTokens, bodyBytes }: Sizing, media: MediaSize): number =>
  promptTokens ?? Math.max(0, bodyBytes - media.chars);

function mediaSize({ fields, model, hasUnclassedField }: Sizing): MediaSize {
  const media = mediaOf(fields, model);
  return hasUnclassedField ? { ...media, tokens: media.tokens + model.contextTokens, sound: true } : media;
}

interface Uses {
  /** Undefined when a use has no price beside its tokens. */
  readonly unit: UnitName | undefined;
  readonly count: number;
  /** Maximum input tokens that each adds. */
  readonly resultTokens: number;
}

function usesOf({ serverTools = noServerTools, model, maxUses = model.search.maxUses }: Sizing): Uses[] {
  return serverTools.tools.map(({ unit, maxUses: own = maxUses, resultTokens = model.search.resultTokens }) => ({
    unit,
    count: own,
    resultTokens,
  }));
}

/**
 * Every round after a tool use reads the prompt again, with everything written and found so far.
 */
function inputOfRounds(
  { model, serverTools = noServerTools }: Sizing,
  { prompt, output, uses }: { prompt: number; output: number; uses: readonly Uses[] },
): number {
  const count = uses.reduce((sum, use) => sum + use.count, 0);
  const results = uses.reduce((sum, use) => sum + use.count * use.resultTokens, 0);
  const rounds = Math.min(count + (serverTools.searchesTools ? maxToolRounds : 0), serverTools.maxRounds);
  let input = Math.min(prompt, model.contextTokens);
  for (let round = 1; round <= rounds; round++) {
    const found = Math.ceil((results * round) / rounds);
    input += Math.min(prompt + output + found, model.contextTokens);
  }
  return input;
}

/**
 * What a model rejects of a prediction is billed as output, whatever the cap
 * (platform.openai.com/docs/guides/predicted-outputs).
 */
function predictedTokens({ prediction }: Fields): number {
  return isFields(prediction) ? Buffer.byteLength(JSON.stringify(prediction)) : 0;
}

type OutputSizing = Pick<Sizing, "model" | "outputCap" | "fields" | "hasUnclassedField">;

/**
 * Maximum tokens of one candidate. Where reasoning or speech is not subject to the cap, the cap is
 * meaningless.
 */
export function outputBound({ model, outputCap, fields, hasUnclassedField }: OutputSizing): number {
  if (outputCap === undefined || hasUnclassedField) return model.maxOutputTokens;
  const thinksApart = mayReason(model.reasoning, fields) && isUncapped(model.upstreams, "thinking");
  const speaksApart = requestsSpeech(fields) && isUncapped(model.upstreams, "speech");
  return thinksApart || speaksApart ? model.maxOutputTokens : Math.min(outputCap, model.maxOutputTokens);
}
