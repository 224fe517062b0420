import { GatewayError } from "@uag/contract/errors/gateway-error";
import { audioEndings, maxAudioBytes } from "@uag/contract/requests/transcriptions";
import type { BodyReader } from "@uag/pipeline/operation/body-reader";
import { type Form, type FormLimits, formBody, type UploadedFile } from "@uag/pipeline/request/form";
import type { AudioFile } from "@uag/providers/transcriptions/types";
import { formatOf } from "./audio/format.ts";
import { type AudioLength, lengthOf } from "./audio/length.ts";

/** An audio file of a known format and length. */
export interface Audio extends AudioFile {
  readonly length: AudioLength;
}

/** A form, and its audio file or why that cannot be transcribed. */
export interface AudioForm extends Form {
  readonly audio: Audio | GatewayError;
}

const limits: FormLimits = {
  maxFiles: 1,
  maxFileBytes: maxAudioBytes,
  lone: {
    field: "file",
    besideBytes: 1024 * 1024,
    tooLarge: `Maximum content size limit (${maxAudioBytes} bytes) exceeded. Compress the audio, or split it.`,
  },
};
const form = formBody(limits, (name) => name === "file");

/** Reads the form and measures its audio, which takes several turns of the event loop. */
export const audioForm: BodyReader<AudioForm> = {
  async read(exchange, lease) {
    const read = await form.read(exchange, lease);
    return { ...read, audio: await audioIn(read) };
  },
};

async function audioIn({ files }: Form): Promise<Audio | GatewayError> {
  const [file] = files;
  if (file === undefined) return invalid("file", "is required");
  if ("url" in file) return invalid("file", "must be a file");
  if (file.field !== "file")
    return invalid(file.field.slice(0, 100) || "(no name)", "is not a file field of this form");
  if (file.size === 0) return invalid("file", "is empty");
  return await measured(file);
}

async function measured({ chunks, size }: UploadedFile): Promise<Audio | GatewayError> {
  const format = formatOf(headOf(chunks));
  if (format === undefined)
    return invalid("file", `Invalid file format. Supported formats: ${audioEndings.join(", ")}`);
  const length = await lengthOf(chunks, format);
  if (length === undefined) return invalid("file", "states no valid length in its header");
  return { chunks, size, ending: format.ending, mediaType: format.mediaType, length };
}

function headOf(chunks: readonly Buffer[]): Buffer {
  let head: Buffer = Buffer.alloc(0);
  for (const chunk of chunks) {
    if (head.length >= 16) break;
    head = Buffer.concat([head, chunk.subarray(0, 16)]);
  }
  return head;
}

/** A fault of a field. */
export function invalid(param: string, what: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: ${what}.`, { param });
}
