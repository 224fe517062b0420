import { GatewayError } from "@uag/contract/errors/gateway-error.ts";

/** A request body on its way in. */
export interface Upload {
  /** Bytes that have come so far. */
  readonly received: number;
  /** False while it is the router that keeps the client waiting. */
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
   * Over how long a body's rate is averaged, and the time that each has to get going. Milliseconds.
   */
  readonly windowMs: number;
  readonly minBytesPerSecond: number;
}

/**
 * Gives up request bodies that are slower than a least rate: until a body is whole it holds an
 * exchange and, in its service, memory. One timer for all of them.
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
