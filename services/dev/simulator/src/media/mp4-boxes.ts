/** A box of an ISO base media file: its size, its four-letter type, its content. */
export function box(type: string, ...content: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.reduce((sum, part) => sum + part.length, 0));
  head.write(type, 4, "latin1");
  return Buffer.concat([head, ...content]);
}

/** A box that begins with a version of 0 and 24 bits of flags. */
export function fullBox(type: string, flags: number, ...content: readonly Buffer[]): Buffer {
  return box(type, u32(flags), ...content);
}

export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * i);
  return bytes;
}

export function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, 2 * i);
  return bytes;
}

export function u8(...values: readonly number[]): Buffer {
  return Buffer.from(values);
}

export function ascii(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

/** The identity matrix of tracks and movies. */
export const unitMatrix: Buffer = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
