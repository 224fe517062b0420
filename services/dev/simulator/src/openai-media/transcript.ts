import { integerBetween, randomFrom } from "../content/hash.ts";
import { proseOf } from "../content/prose.ts";
import { steeringOf } from "../content/steer.ts";
import type { Call } from "../http/types.ts";

const wordsPerSecond = 2.5;
const segmentSeconds = 5;

interface Timed {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The text of a recording, and when each part is spoken. */
export interface Spoken {
  readonly text: string;
  readonly words: readonly Timed[];
  readonly segments: readonly Timed[];
}

const rounded = (seconds: number): number => Math.round(seconds * 100) / 100;

/** Text for a recording of this length, derived from the file; a prompt with `say:` sets it. */
export function spokenIn(call: Call, seconds: number, prompt: string): Spoken {
  const wanted = Math.max(1, Math.floor(seconds * wordsPerSecond));
  const text = steeringOf(prompt).text ?? proseOf(randomFrom(call.digest, "speech"), wanted);
  const words = text.split(" ");
  const each = seconds / words.length;
  const timed = words.map((word, at) => ({ text: word, start: rounded(at * each), end: rounded((at + 1) * each) }));
  const segments = [...Map.groupBy(timed, ({ start }) => Math.floor(start / segmentSeconds)).values()].map((part) => ({
    text: part.map((word) => word.text).join(" "),
    start: part[0]?.start ?? 0,
    end: part.at(-1)?.end ?? 0,
  }));
  return { text, words: timed, segments };
}

export interface VerboseOptions {
  readonly task: "transcribe" | "translate";
  readonly seconds: number;
  readonly granularities: readonly string[];
}

/** `verbose_json`, without usage. */
export function verboseOf({ text, words, segments }: Spoken, { task, seconds, granularities }: VerboseOptions): object {
  const random = randomFrom(text, "tokens");
  return {
    task,
    language: "english",
    duration: rounded(seconds),
    text,
    ...(granularities.includes("segment") && {
      segments: segments.map((segment, id) => ({
        id,
        seek: 0,
        start: segment.start,
        end: segment.end,
        text: ` ${segment.text}`,
        tokens: segment.text.split(" ").map(() => integerBetween(random, 256, 50_000)),
        temperature: 0,
        avg_logprob: -0.28,
        compression_ratio: 1.2,
        no_speech_prob: 0.01,
      })),
    }),
    ...(granularities.includes("word") && {
      words: words.map(({ text: word, start, end }) => ({
        word: word.replace(/(?<![.,;:!?…])[.,;:!?…]+$/, ""),
        start,
        end,
      })),
    }),
  };
}

function clock(seconds: number, mark: string): string {
  const date = new Date(Math.round(seconds * 1_000)).toISOString();
  return date.slice(11, 23).replace(".", mark);
}

export function srtOf({ segments }: Spoken): string {
  return segments
    .map(({ text, start, end }, at) => `${at + 1}\n${clock(start, ",")} --> ${clock(end, ",")}\n${text}\n\n`)
    .join("");
}

export function vttOf({ segments }: Spoken): string {
  return `WEBVTT\n\n${segments.map(({ text, start, end }) => `${clock(start, ".")} --> ${clock(end, ".")}\n${text}\n\n`).join("")}`;
}
