import type { Model, SpeechFormat, SpeechTraits } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { speechRequest } from "@uag/contract/requests/speech";
import type { Fields } from "@uag/pipeline/request/body";
import { checked } from "@uag/untrusted/schema-fault";
import { soundBytes } from "../speaking-rate.ts";
import { countCharacters } from "../text/count.ts";
import { readVoice } from "./voice.ts";

/** A valid request. */
export interface SpeechRequest {
  readonly traits: SpeechTraits;
  readonly input: string;
  /** Length of the input, as the upstream counts it. */
  readonly characters: number;
  readonly voice: string;
  readonly format: SpeechFormat;
  readonly instructions: string | undefined;
}

export interface ReadOptions {
  readonly maxCharacters: number;
  /** Maximum bytes of audio that may be buffered for one response. */
  readonly maxHeldBytes: number;
}

/**
 * Validates a request.
 * @throws {GatewayError} naming the field at fault
 */
export function readSpeechRequest(fields: Fields, model: Model, options: ReadOptions): SpeechRequest {
  const data = checked(speechRequest, fields);
  const traits = model.speech;
  if (traits === undefined) throw new Error(`the catalogue entry of ${model.id} has no speech`);
  const format = readFormat(data.response_format, traits);
  return {
    traits,
    input: data.input,
    characters: readCharacters(data.input, traits, { ...options, format }),
    voice: readVoice(data.voice, traits.voices),
    format,
    instructions: readInstructions(data.instructions, traits),
  };
}

type Limits = ReadOptions & { readonly format: SpeechFormat };

function readCharacters(input: string, traits: SpeechTraits, limits: Limits): number {
  const { maxCharacters, maxHeldBytes, format } = limits;
  // Each character is at most two units, so text this long is rejected without counting.
  if (input.length > 2 * maxCharacters) throw fault("input", `must have at most ${maxCharacters} characters`);
  if (input.trim() === "") throw fault("input", "must not be empty");
  const characters = countCharacters(input, traits.ideographWeight);
  if (characters > maxCharacters)
    throw fault("input", `must have at most ${maxCharacters} characters, has ${characters}`);
  // MP3 is sent while it is encoded; a WAV file is buffered until its length is known.
  if (format === "wav" && soundBytes(characters) > maxHeldBytes)
    throw fault(
      "input",
      `is too long for one WAV file: split it${traits.formats.includes("mp3") ? ", or request mp3" : ""}`,
    );
  return characters;
}

function readFormat(requested: string | null | undefined, { formats, fixedFormat }: SpeechTraits): SpeechFormat {
  const usual = formats[0] as SpeechFormat;
  if (fixedFormat || requested === null || requested === undefined) return usual;
  const format = formats.find((known) => known === requested);
  if (format === undefined) throw fault("response_format", `must be one of ${formats.join(", ")}`);
  return format;
}

function readInstructions(requested: string | null | undefined, traits: SpeechTraits): string | undefined {
  if (requested === null || requested === undefined || requested === "") return undefined;
  if (!traits.instructions) throw fault("instructions", "is not supported by this model");
  return requested;
}

function fault(param: string, what: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: ${what}.`, { param });
}
