import { integerBetween, type Random } from "./hash.ts";
import { proseOf } from "./prose.ts";
import type { Turn } from "./turn.ts";

const openings = [
  (model: string) => `This is the built-in simulator responding as ${model}; no provider was called.`,
  (model: string) => `Hello from the built-in simulator, which responds here as ${model}.`,
  (model: string) => `The built-in simulator responds for ${model} here; no provider was called.`,
];

const keys: Readonly<Record<string, string>> = {
  openai: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
  gemini: "GEMINI_API_KEY",
  dashscope: "DASHSCOPE_API_KEY",
  xai: "XAI_API_KEY",
};

const maxQuoteLength = 160;
const maxWords = 5_000;

/** The beginning of a text on one line, in quotation marks. */
function quoted(text: string): string {
  const line = text
    .slice(0, 4 * maxQuoteLength)
    .replaceAll(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length > maxQuoteLength ? `“${characters.slice(0, maxQuoteLength).join("")}…”` : `“${line}”`;
}

const counted = (count: number, one: string): string[] =>
  count === 0 ? [] : [`${count} ${one}${count === 1 ? "" : "s"}`];

function shapeOf({ seen, tools, system }: Turn): string {
  const parts = [
    ...counted(seen.images, "image"),
    ...counted(seen.sounds, "audio clip"),
    ...counted(seen.videos, "video"),
    ...counted(seen.files, "file"),
    ...counted(tools.length, "tool"),
    ...(system ? ["a system prompt"] : []),
  ];
  const last = parts.pop();
  if (last === undefined) return "";
  return ` It also contained ${parts.length === 0 ? last : `${parts.join(", ")} and ${last}`}.`;
}

/**
 * The number of words the user wants: "in 200 words" is explicit; a story or an essay is longer
 * than a response.
 */
function wordsWanted(userText: string): number {
  const [, number] = /\b(\d{1,4})[ -]words?\b/i.exec(userText) ?? [];
  if (number !== undefined) return Math.min(Number(number), maxWords);
  return /\b(story|essay|article|poem|tale)\b/i.test(userText) ? 120 : 0;
}

function uptakeOf(turn: Turn): string {
  const [result] = turn.toolResults;
  if (result !== undefined) return `The tool returned: ${quoted(result)}.`;
  return turn.userText.trim() === "" ? "The message had no text." : `You wrote: ${quoted(turn.userText)}.`;
}

/**
 * A response that names the model, takes up the request, explains how to reach the real model, and
 * has the requested length. Deterministic for the same turn and random stream.
 */
export function replyTo(turn: Turn, random: Random): string {
  const opening = openings[integerBetween(random, 0, openings.length - 1)] ?? openings[0];
  const key = keys[turn.provider] ?? "the provider's key";
  const intro = `${opening?.(turn.model)} ${uptakeOf(turn)}${shapeOf(turn)} Set ${key} and restart the gateway to use the model itself.`;
  const more = wordsWanted(turn.userText) - intro.split(" ").length;
  return more > 0 ? `${intro}\n\n${proseOf(random, more)}` : intro;
}
