const nothing = Buffer.alloc(0);

/**
 * One block of an event stream: the bytes up to and including its final blank line. Nothing is
 * copied; the getters slice on demand. The concatenated raw bytes of all blocks are exactly the
 * received bytes, apart from a byte order mark at the start.
 */
export class SseEvent {
  /**
   * The block is `source[start, end)`: adjacent blocks of one source can be forwarded as one slice.
   */
  readonly source: Buffer;
  readonly start: number;
  readonly end: number;
  /** The `event:` field; empty when there is none (a plain message). */
  readonly name: string;
  /** The `id:` field, or empty. */
  readonly id: string;
  /**
   * The joined `data:` lines without their terminators; undefined for a block that dispatches
   * nothing (comments).
   */
  readonly data: Buffer | undefined;

  constructor(fields: {
    source: Buffer;
    start: number;
    end: number;
    name: string;
    id: string;
    data: Buffer | undefined;
  }) {
    this.source = fields.source;
    this.start = fields.start;
    this.end = fields.end;
    this.name = fields.name;
    this.id = fields.id;
    this.data = fields.data;
  }

  /** The block as received, terminator included. */
  get raw(): Buffer {
    return this.source.subarray(this.start, this.end);
  }

  /** The data as text; empty for a block without data. */
  get text(): string {
    return (this.data ?? nothing).toString("utf8");
  }
}
