import { bodyKind } from "@uag/providers/reading/body-kind";

/** Types of the first box in MP4 and QuickTime files (ISO/IEC 14496-12; QuickTime file format). */
const firstBoxes = new Set(["ftyp", "styp", "moov", "mdat", "free", "skip", "wide"]);
const headerBytes = 8;
const longHeaderBytes = 16;
/** A file with more of them is not checked further. */
const maxBoxes = 100_000;

/** What is wrong with a file that should be a video. */
export type FileFault =
  /** It is a page, an error or nothing. */
  | "no_video"
  /** Its end is missing. */
  | "incomplete";

/**
 * Checks that a file is a video, by its first bytes: servers declare wrong types. MP4 and QuickTime
 * files must be complete; other containers are accepted as they are.
 */
export function fileFault(file: Buffer, contentType: string): FileFault | undefined {
  if (firstBoxes.has(file.toString("latin1", 4, headerBytes))) return isCompleteMp4(file) ? undefined : "incomplete";
  if (file.length === 0 || isPage(file) || /^(text|image)\/|json|xml/.test(contentType)) return "no_video";
  return undefined;
}

function isPage(file: Buffer): boolean {
  return bodyKind(file) === "json" || /^\s{0,64}</.test(file.toString("latin1", 0, 65));
}

/** Whether the boxes fill the file exactly, and one of them describes its tracks. */
function isCompleteMp4(file: Buffer): boolean {
  let isDescribed = false;
  let at = 0;
  for (let boxes = 0; at < file.length && boxes < maxBoxes; boxes++) {
    if (at + headerBytes > file.length) return false;
    isDescribed ||= ["moov", "moof"].includes(file.toString("latin1", at + 4, at + headerBytes));
    const size = sizeAt(file, at);
    if (size === undefined) return false;
    at += size;
  }
  return isDescribed && at <= file.length;
}

/** The size of the box at an offset, bytes; undefined when it is invalid. */
function sizeAt(file: Buffer, at: number): number | undefined {
  const size = file.readUInt32BE(at);
  // Zero: up to the end of the file; one: the size follows in 64 bits.
  if (size === 0) return file.length - at;
  if (size !== 1) return size < headerBytes ? undefined : size;
  if (at + longHeaderBytes > file.length) return undefined;
  const long = file.readBigUInt64BE(at + headerBytes);
  return long < longHeaderBytes || long > file.length ? undefined : Number(long);
}
