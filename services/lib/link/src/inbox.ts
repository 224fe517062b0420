import { BodyBuffer, type BodyBufferOptions, checkSize } from "./body-buffer.ts";
import { LinkError } from "./errors.ts";
import { windowBytes } from "./limits.ts";
import { ReceiveWindow } from "./receive-window.ts";

interface Waiter {
  resolve: () => void;
  reject: (error: LinkError) => void;
}

/** The request body as it arrives at the serving end, buffered until the handler takes it. */
export class Inbox {
  readonly window = new ReceiveWindow();
  #queue: Buffer[] = [];
  #ended: boolean;
  #error: LinkError | undefined;
  #waiter: Waiter | undefined;
  readonly #onOwed: () => void;

  /** `onOwed` is called when the peer is owed enough credit to be worth a frame. */
  constructor(options: { ended: boolean; onOwed: () => void }) {
    this.#ended = options.ended;
    this.#onOwed = options.onOwed;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** @throws {LinkError} `protocol` when the peer exceeds its window or sends after its end */
  push(bytes: Buffer): void {
    if (this.#ended) throw new LinkError("protocol", "body after end");
    if (!this.window.receive(bytes.length)) throw new LinkError("protocol", "body exceeds its window");
    if (this.#error !== undefined || bytes.length === 0) return;
    this.#queue.push(bytes);
    this.#wake();
  }

  end(): void {
    if (this.#ended) throw new LinkError("protocol", "a second end of one body");
    this.#ended = true;
    this.#wake();
  }

  fail(error: LinkError): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#queue = [];
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.reject(error);
  }

  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const chunk = this.#queue.shift();
      if (chunk !== undefined) {
        this.#consumed(chunk.length);
        yield chunk;
      } else if (this.#ended) return;
      else await this.#more();
    }
  }

  /**
   * The whole body. One that arrives within a single turn of the event loop is returned without an
   * intermediate buffer.
   * @throws {LinkError} `too_large` above `maxBytes`; the error that ended the exchange; what
   * `take` throws
   */
  async whole(options: BodyBufferOptions): Promise<Buffer> {
    let gathered = (options.length ?? 0) > windowBytes ? new BodyBuffer(options) : undefined;
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const arrived = this.#queue;
      this.#queue = [];
      let bytes = 0;
      for (const chunk of arrived) bytes += chunk.length;
      if (this.#ended && gathered === undefined) {
        checkSize(bytes, options);
        options.take?.(bytes);
        return arrived.length === 1 ? (arrived[0] as Buffer) : Buffer.concat(arrived, bytes);
      }
      if (bytes > 0) gathered ??= new BodyBuffer({ ...options, length: undefined });
      for (const chunk of arrived) gathered?.add(chunk);
      if (this.#ended && gathered !== undefined) return gathered.bytes;
      this.#consumed(bytes);
      await this.#more();
    }
  }

  #consumed(bytes: number): void {
    if (this.window.consume(bytes) && !this.#ended) this.#onOwed();
  }

  #more(): Promise<void> {
    if (this.#waiter !== undefined) throw new Error("a body can have only one reader");
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  #wake(): void {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.resolve();
  }
}
