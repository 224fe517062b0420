import { bound, type Limit, price } from "@uag/catalog/price";
import { sizings } from "@uag/catalog/sizing";
import type { Model } from "@uag/catalog/types";
import type { UsageCharge } from "@uag/pipeline/bill";
import type { Size } from "@uag/pipeline/operation/operation-spec";
import type { StreamReply } from "@uag/pipeline/operation/reply";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { Delivered } from "@uag/providers/generation";
import { durationIn } from "@uag/providers/openai/transcription-usage";
import { countTokens } from "@uag/providers/tokens";
import type { Transcript } from "@uag/providers/transcriptions/types";
import type { TranscriptionRequest } from "./request.ts";

const bytesPerToken = 4;
/** Fast speech has 5 tokens per second in most languages; this is for an estimate. */
const spokenTokensPerSecond = 5;

interface Job {
  readonly model: Model;
  readonly request: TranscriptionRequest;
}

/** True for a model that is billed by the length of the audio, not by tokens. */
function countsSeconds({ price }: Model): boolean {
  return price.rates.has("audio_seconds");
}

/** Bounds the cost of a transcript. A prompt token is at least one byte. */
export function transcriptionSize({ model, request }: Job): Size {
  const seconds = wholeSeconds(request, request.audio.length.atMost);
  const prompt = Buffer.byteLength(request.prompt);
  const audio = audioTokens(request, seconds);
  const limits: Limit[] = countsSeconds(model)
    ? [{ quantity: BigInt(seconds), anyOf: sizings.transcriptions.seconds }]
    : [
        { quantity: BigInt(audio), anyOf: sizings.transcriptions.audio },
        { quantity: BigInt(prompt), anyOf: sizings.transcriptions.prompt },
        { quantity: BigInt(model.maxOutputTokens), anyOf: sizings.transcriptions.text },
      ];
  return { holdNanoUsd: bound(limits, model.price), tokens: audio + Math.ceil(prompt / bytesPerToken) };
}

/** The units of a transcript: the upstream's count, else an estimate. */
export async function chargeFor(job: Job, { fields, text, usage }: Transcript): Promise<UsageCharge> {
  return usage ?? (await deliveredFor(job, text, durationIn(fields)));
}

/**
 * An estimate of a transcript without the upstream's count.
 * @param duration the length of the audio by the upstream's own statement, seconds
 */
export async function deliveredFor(job: Job, text: string, duration?: number): Promise<UsageCharge> {
  return await countedFor(job, { output: await countTokens(text), duration });
}

/**
 * What is billed for a transcript whose process dies while it is streamed: the provider completes,
 * and charges, all of it. Cheap: tokens are counted roughly.
 */
export function progressOf(job: Job, { roughTokens }: Delivered): ReturnType<StreamReply["progress"]> {
  const { units, isUpperBound = false } = estimateFor(job, {
    output: Math.min(Math.max(spokenTokens(job), roughTokens), job.model.maxOutputTokens),
    prompt: Math.ceil(Buffer.byteLength(job.request.prompt) / bytesPerToken),
    duration: undefined,
  });
  return { units, isUpperBound, costNanoUsd: price(units, job.model.price).costNanoUsd };
}

/** What a provider charges for audio whose transcript was not received, or not completely. */
export async function owedFor(job: Job, received: string | undefined): Promise<UsageCharge> {
  const output = Math.max(spokenTokens(job), await countTokens(received ?? ""));
  return await countedFor(job, { output: Math.min(output, job.model.maxOutputTokens), duration: undefined });
}

/** Tokens of the transcript of speech without pauses. */
function spokenTokens({ request }: Job): number {
  const { measured, atMost } = request.audio.length;
  return Math.ceil((measured ?? atMost) * spokenTokensPerSecond);
}

interface Known {
  /** Tokens of the transcript. */
  readonly output: number;
  /** Tokens of the prompt. */
  readonly prompt: number;
  /** The length of the audio by the upstream's own statement, seconds. */
  readonly duration: number | undefined;
}

async function countedFor(job: Job, known: Omit<Known, "prompt">): Promise<UsageCharge> {
  return estimateFor(job, { ...known, prompt: await countTokens(job.request.prompt) });
}

/** An estimate by the length of the audio; by its upper bound if that is not known. */
function estimateFor({ model, request }: Job, { output, prompt, duration }: Known): UsageCharge {
  const { measured, atMost } = request.audio.length;
  const known = duration ?? measured;
  const isUpperBound = known === undefined;
  const seconds = wholeSeconds(request, known ?? atMost);
  if (countsSeconds(model)) return { units: unitsOf({ audio_seconds: seconds }), estimated: true, isUpperBound };
  const units = unitsOf({
    audio_input_tokens: audioTokens(request, seconds),
    input_tokens: prompt,
    output_tokens: output,
  });
  return { units, estimated: true, isUpperBound };
}

/** Part of a second counts as a whole one; an upstream rejects audio that is too long for it. */
function wholeSeconds({ traits }: TranscriptionRequest, seconds: number): number {
  return Math.ceil(Math.min(seconds, traits.maxSeconds ?? seconds));
}

function audioTokens({ traits }: TranscriptionRequest, seconds: number): number {
  return Math.ceil(seconds * (traits.audioTokensPerSecond ?? 0));
}

function unitsOf(counts: Readonly<Record<string, number>>): Unit[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ({ name, quantity: BigInt(count) }));
}
