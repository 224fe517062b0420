interface Box {
  readonly type: string;
  readonly body: Buffer;
}

const containers = new Set(["moov", "trak", "mdia", "minf", "stbl"]);

/** Every box of an MP4 file, inner ones after their container. */
function boxesOf(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const box = { type: bytes.toString("latin1", at + 4, at + 8), body: bytes.subarray(at + 8, at + size) };
    boxes.push(box);
    if (containers.has(box.type)) boxes.push(...boxesOf(box.body));
    at += size;
  }
  return boxes;
}

/** The video information in the headers of an MP4 file. */
export function movieOf(bytes: Buffer): { width: number; height: number; seconds: number; sound: boolean } {
  const boxes = boxesOf(bytes);
  const bodyOf = (type: string) => boxes.find((box) => box.type === type)?.body ?? Buffer.alloc(100);
  const header = bodyOf("mvhd");
  const track = bodyOf("tkhd");
  return {
    width: track.readUInt32BE(76) / 0x10000,
    height: track.readUInt32BE(80) / 0x10000,
    seconds: header.readUInt32BE(16) / header.readUInt32BE(12),
    sound: boxes.some(({ type }) => type === "smhd"),
  };
}
