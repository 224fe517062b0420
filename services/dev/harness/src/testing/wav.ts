const headerBytes = 44;

interface Format {
  /** Samples per second. */
  readonly sampleRate: number;
  readonly bits: 8 | 16;
}

/** A WAV file of one channel, whose samples are these bytes. */
export function wavFile(samples: Buffer, { sampleRate, bits }: Format): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write("RIFF");
  header.writeUInt32LE(headerBytes - 8 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE((sampleRate * bits) / 8, 28);
  header.writeUInt16LE(bits / 8, 32);
  header.writeUInt16LE(bits, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** A WAV file of silence, 16 bits. */
export const silence = (seconds: number, sampleRate: number): Buffer =>
  wavFile(Buffer.alloc(2 * Math.round(sampleRate * seconds)), { sampleRate, bits: 16 });
