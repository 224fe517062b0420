import { GatewayError } from "@uag/contract/errors/gateway-error";

/** A request body being received. */
export interface Upload {
  /** Bytes received so far. */
  readonly received: number;
  /** False while the router itself applies backpressure to the client. */
  readonly waitsForClient: boolean;
  abandon(error: GatewayError): void;
}

interface Mark {
  bytes: number;
  /** Monotonic milliseconds. */
  at: number;
}

export interface UploadWatchOptions {
  /**
   * The period over which a body's rate is averaged, and which each has to get started.
   * Milliseconds.
   */
  readonly windowMs: number;
  readonly minBytesPerSecond: number;
}

/**
 * Aborts request bodies below a minimum rate: until a body is complete it holds an exchange and, in
 * its service, memory. One timer serves all of them.
 */
export class UploadWatch implements Disposable {
  readonly #windowMs: number;
  readonly #minBytes: number;
  readonly #error: GatewayError;
  readonly #uploads = new Set<Upload>();
  readonly #marks = new WeakMap<Upload, Mark>();
  readonly #timer: NodeJS.Timeout;

  constructor({ windowMs, minBytesPerSecond }: UploadWatchOptions) {
    this.#windowMs = windowMs;
    this.#minBytes = (minBytesPerSecond * windowMs) / 1_000;
    const text = `The request body arrives too slowly: at fewer than ${minBytesPerSecond} bytes a second.`;
    this.#error = new GatewayError("request_timeout", text);
    this.#timer = setInterval(() => this.sweep(performance.now()), Math.max(50, windowMs / 6)).unref();
  }

  add(upload: Upload): void {
    this.#uploads.add(upload);
  }

  delete(upload: Upload): void {
    this.#uploads.delete(upload);
  }

  /** @param now monotonic milliseconds */
  sweep(now: number): void {
    for (const upload of this.#uploads) {
      const mark = this.#marks.get(upload);
      const moved = mark === undefined || upload.received - mark.bytes >= this.#minBytes;
      if (moved || !upload.waitsForClient) this.#marks.set(upload, { bytes: upload.received, at: now });
      else if (now - mark.at >= this.#windowMs) upload.abandon(this.#error);
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
