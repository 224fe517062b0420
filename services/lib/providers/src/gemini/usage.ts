import type { UnitName } from "@uag/catalog/units";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { Tokens } from "../conversation/events.ts";
import { countOf, type Fields, fieldsOf, listOf } from "../conversation/fields.ts";
import { unitsOfOthers } from "../openai-compatible/other-counters.ts";
import type { UsageReport } from "../usage-report.ts";

/**
 * Gemini's usage, broken down: the prompt includes cached tokens, the candidates exclude thoughts.
 */
export interface GeminiUsage {
  readonly tokens: Tokens;
  readonly units: Unit[];
}

const inputUnits: readonly (readonly [modality: string, unit: UnitName, cachedUnit: UnitName])[] = [
  ["IMAGE", "image_input_tokens", "cached_input_tokens"],
  ["VIDEO", "video_input_tokens", "cached_input_tokens"],
  ["AUDIO", "audio_input_tokens", "cached_audio_input_tokens"],
];
const outputUnits: readonly (readonly [modality: string, unit: UnitName])[] = [
  ["IMAGE", "image_output_tokens"],
  ["AUDIO", "audio_output_tokens"],
];

/** Members that units count; the details break them down. */
export const knownOfGemini =
  /^(prompt|toolUsePrompt|candidates|thoughts|total)TokenCount$|^cachedContentTokenCount$|Details$/;

/** @returns undefined when the object does not report usage */
export function geminiUsage(usage: Fields): GeminiUsage | undefined {
  const prompt = countOf(usage["promptTokenCount"]);
  if (prompt === undefined || prompt === 0) return undefined;
  const toolUse = countOf(usage["toolUsePromptTokenCount"]) ?? 0;
  const cached = Math.min(countOf(usage["cachedContentTokenCount"]) ?? 0, prompt);
  const thinking = countOf(usage["thoughtsTokenCount"]) ?? 0;
  const candidates = countOf(usage["candidatesTokenCount"]) ?? 0;
  const total = countOf(usage["totalTokenCount"]) ?? 0;
  const output = Math.max(candidates + thinking, total - prompt - toolUse);
  const units = new Map<UnitName, number>();
  addInput(units, usage, { uncached: prompt + toolUse - cached, cached });
  addOutput(units, usage, output);
  return {
    tokens: {
      input: prompt + toolUse - cached,
      cacheRead: cached,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      output,
      thinking,
      audioInput: Math.min(byModality(usage["promptTokensDetails"])("AUDIO"), prompt),
    },
    units: [
      ...[...units].filter(([, n]) => n > 0).map(([name, quantity]) => ({ name, quantity: BigInt(quantity) })),
      ...unitsOfOthers(usage, knownOfGemini),
    ],
  };
}

/** The usage that a response object reports. */
export function geminiUsageIn({ usageMetadata }: Fields): UsageReport | undefined {
  const counted = geminiUsage(fieldsOf(usageMetadata));
  return counted && { units: counted.units, raw: Buffer.from(JSON.stringify(usageMetadata)) };
}

function addInput(units: Map<UnitName, number>, usage: Fields, rest: { uncached: number; cached: number }): void {
  const counted = byModality(usage["promptTokensDetails"]);
  const fromTools = byModality(usage["toolUsePromptTokensDetails"]);
  const fromCache = byModality(usage["cacheTokensDetails"]);
  let { uncached, cached } = rest;
  for (const [modality, unit, cachedUnit] of inputUnits) {
    const inCache = Math.min(fromCache(modality), cached);
    cached -= inCache;
    add(units, cachedUnit, inCache);
    const fresh = Math.min(Math.max(counted(modality) + fromTools(modality) - inCache, 0), uncached);
    uncached -= fresh;
    add(units, unit, fresh);
  }
  add(units, "cached_input_tokens", cached);
  add(units, "input_tokens", uncached);
}

function addOutput(units: Map<UnitName, number>, usage: Fields, output: number): void {
  const counted = byModality(usage["candidatesTokensDetails"]);
  let rest = output;
  for (const [modality, unit] of outputUnits) {
    const part = Math.min(counted(modality), rest);
    rest -= part;
    add(units, unit, part);
  }
  add(units, "output_tokens", rest);
}

function add(units: Map<UnitName, number>, name: UnitName, quantity: number): void {
  units.set(name, (units.get(name) ?? 0) + quantity);
}

function byModality(details: unknown): (modality: string) => number {
  const counts = listOf(details).map(fieldsOf);
  return (modality) => countOf(counts.find((count) => count["modality"] === modality)?.["tokenCount"]) ?? 0;
}
