const channels = 1;
const bytesPerSample = 2;
/** What a header says of a length that is not known yet; ffmpeg and OpenAI's own streamed files do the same. */
const unknownLength = 0xffffffff;

/** The header of a WAV file of 16-bit mono PCM whose length is not known while it is sent. */
export function streamedWavHeader(sampleRate: number): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(unknownLength, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * bytesPerSample, 28);
  header.writeUInt16LE(channels * bytesPerSample, 32);
  header.writeUInt16LE(8 * bytesPerSample, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(unknownLength, 40);
  return header;
}
