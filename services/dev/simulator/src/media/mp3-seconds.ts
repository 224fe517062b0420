const bitRates: Readonly<Record<number, readonly number[]>> = {
  3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const sampleRates: Readonly<Record<number, readonly number[]>> = {
  3: [44_100, 48_000, 32_000],
  2: [22_050, 24_000, 16_000],
  0: [11_025, 12_000, 8_000],
};

/** Where the frames begin: after an ID3v2 tag, whose size has seven bits in each byte. */
function framesStart(mp3: Buffer): number {
  if (mp3.toString("latin1", 0, 3) !== "ID3" || mp3.length < 10) return 0;
  return 10 + [6, 7, 8, 9].reduce((size, at) => size * 128 + (mp3.readUInt8(at) & 127), 0);
}

/** Adds up the frames of a layer III file; undefined if it has none. */
export function mp3Seconds(mp3: Buffer): number | undefined {
  let seconds = 0;
  for (let at = framesStart(mp3); at + 4 <= mp3.length; ) {
    const head = mp3.readUInt32BE(at);
    const version = (head >>> 19) & 3;
    const rate = sampleRates[version]?.[(head >>> 10) & 3];
    const kbits = bitRates[version === 3 ? 3 : 2]?.[(head >>> 12) & 15];
    if (head >>> 21 !== 0x7ff || rate === undefined || !kbits) break;
    const samples = version === 3 ? 1_152 : 576;
    at += Math.floor((samples / 8) * 1_000 * (kbits / rate)) + ((head >>> 9) & 1);
    seconds += samples / rate;
  }
  return seconds === 0 ? undefined : seconds;
}
