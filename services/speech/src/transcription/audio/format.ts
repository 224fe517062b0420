/** Reads of a file whose length is known only after its last frame or page: 25 MiB of MP3 at 128 kbit/s. */
const maxReadsOfFrames = 250_000;
/** Reads of a file of elements that may be nested: each level is another call that waits for its reads. */
const maxReadsOfElements = 20_000;

/** A format of audio files. */
export interface AudioFormat {
  /** The ending of its files' names, under which upstreams accept it. */
  readonly ending: string;
  readonly mediaType: string;
  /**
   * The lowest bit rate of speech in it: MPEG-2.5 layer III has 8 kbit/s, Opus 6 kbit/s
   * (RFC 6716, 2.1.1), AMR 4.75 kbit/s (3GPP TS 26.071). Undefined where silence takes no bits at
   * all.
   */
  readonly minBitsPerSecond: number | undefined;
  /** The length of a file that takes more reads than this is not measured. */
  readonly maxReads: number;
}

const frames = { maxReads: maxReadsOfFrames };
const elements = { maxReads: maxReadsOfElements };
const mp3: AudioFormat = { ending: "mp3", mediaType: "audio/mpeg", minBitsPerSecond: 8_000, ...frames };

const signatures: readonly (readonly [offset: number, text: string, format: AudioFormat])[] = [
  [0, "fLaC", { ending: "flac", mediaType: "audio/flac", minBitsPerSecond: undefined, ...elements }],
  [0, "OggS", { ending: "ogg", mediaType: "audio/ogg", minBitsPerSecond: 6_000, ...frames }],
  [0, "\x1a\x45\xdf\xa3", { ending: "webm", mediaType: "audio/webm", minBitsPerSecond: 6_000, ...elements }],
  [8, "WAVE", { ending: "wav", mediaType: "audio/wav", minBitsPerSecond: undefined, ...elements }],
  [8, "M4A ", { ending: "m4a", mediaType: "audio/mp4", minBitsPerSecond: 4_750, ...elements }],
  [4, "ftyp", { ending: "mp4", mediaType: "video/mp4", minBitsPerSecond: 4_750, ...elements }],
  [0, "ID3", mp3],
];

/** MPEG audio of layer III begins with eleven set bits, a version and its layer (ISO 11172-3, 2.4.1.3). */
function isMpegFrame(head: Buffer): boolean {
  const [first = 0, second = 0] = head;
  return first === 0xff && (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08;
}

/** The format of a file, by its first bytes; undefined for one that upstreams do not accept. */
export function formatOf(head: Buffer): AudioFormat | undefined {
  const text = head.toString("latin1", 0, 16);
  const found = signatures.find(([offset, signature]) => text.startsWith(signature, offset));
  return found?.[2] ?? (isMpegFrame(head) ? mp3 : undefined);
}
