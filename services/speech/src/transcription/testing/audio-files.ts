import { wavHeader } from "../../audio/wav-header.ts";

/** A WAV file of silence, 16 kHz, 16 bits, one channel. */
export function wav(seconds: number): Buffer {
  const bytes = 2 * Math.round(16_000 * seconds);
  return Buffer.concat([wavHeader(16_000, bytes), Buffer.alloc(bytes)]);
}

const boundary = "----test";

/** The content type of {@link audioForm}. */
export const formType = `multipart/form-data; boundary=${boundary}`;

/** A form with a file and fields. */
export function audioForm(file: Buffer, fields: readonly (readonly [name: string, value: string])[], name = "a.wav") {
  const part = (disposition: string, content: string | Buffer): Buffer[] => [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ];
  return Buffer.concat([
    ...fields.flatMap(([field, value]) => part(`name="${field}"`, value)),
    ...part(`name="file"; filename="${name}"`, file),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}
