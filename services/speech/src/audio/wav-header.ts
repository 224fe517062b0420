const channels = 1;
const bytesPerSample = 2;
const headerBytes = 44;

/**
 * The header of a WAV file of 16-bit mono PCM.
 * @param pcmBytes size of all samples; players and Python's `wave` derive the duration from it
 */
export function wavHeader(sampleRate: number, pcmBytes: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(headerBytes - 8 + pcmBytes, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * bytesPerSample, 28);
  header.writeUInt16LE(channels * bytesPerSample, 32);
  header.writeUInt16LE(8 * bytesPerSample, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(pcmBytes, 40);
  return header;
}
