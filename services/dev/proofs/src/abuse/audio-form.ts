import { wavFile } from "@uag/harness/testing/wav";

const boundary = "b";

/** The content type of a form. */
export const formType = `multipart/form-data; boundary=${boundary}`;

/** A form with an audio file. */
export interface AudioForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: () => Buffer;
}

/** The form's body, in pieces. */
export function audioPieces({ fields, file }: AudioForm): Buffer[] {
  const head = (disposition: string): Buffer =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`);
  return [
    ...Object.entries(fields).flatMap(([name, value]) => [head(`name="${name}"`), Buffer.from(`${value}\r\n`)]),
    head('name="file"; filename="a.bin"'),
    file(),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ];
}

/** A WAV file of the largest size with the fewest samples per second: seven hours. */
export const longWav = (): Buffer => wavFile(Buffer.alloc(26_000_000, 128), { sampleRate: 1_000, bits: 8 });
