const sampleRate = 8_000;
const headerBytes = 44;

/** A WAV file of one second, 8 kHz, 8 bits, one channel: a tone of 440 Hz. */
export function tone(): Buffer {
  const file = Buffer.alloc(headerBytes + sampleRate, 128);
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
  file.writeUInt32LE(sampleRate, 40);
  for (let at = 0; at < sampleRate; at++)
    file[headerBytes + at] = 128 + Math.round(80 * Math.sin((2 * Math.PI * 440 * at) / sampleRate));
  return file;
}
