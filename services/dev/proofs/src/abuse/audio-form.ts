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

const samples = 26_000_000;
const sampleRate = 1_000;

/** A WAV file of the largest size with the fewest samples per second: seven hours. */
export function longWav(): Buffer {
  const file = Buffer.alloc(44 + samples, 128);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(samples, 40);
  return file;
}
