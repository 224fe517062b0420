const nothing = Buffer.alloc(0);

/**
 * One block of an event stream: the bytes up to and with the blank line that ends it. Nothing is
 * copied; the getters slice on demand. The raw bytes of all blocks, one after the other, are
 * exactly the bytes that came in.
 */
export class SseEvent {
  /** The block is `source[start, end)`: neighbours in one source can be sent on as one slice. */
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

  /** The block as it came, terminator included. */
  get raw(): Buffer {
    return this.source.subarray(this.start, this.end);
  }

  /** The data as text; empty for a block without data. */
  get text(): string {
    return (this.data ?? nothing).toString("utf8");
  }
}
