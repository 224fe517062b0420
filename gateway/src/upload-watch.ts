import { GatewayError } from "@uag/kit/errors.ts";

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

const minProgressBytes = 1_024;

/** Gives up request bodies that hardly move, so that slow senders cannot hold exchanges open. One timer for all of them. */
export class UploadWatch implements Disposable {
  readonly #idleMs: number;
  readonly #uploads = new Set<Upload>();
  readonly #marks = new WeakMap<Upload, Mark>();
  readonly #timer: NodeJS.Timeout;

  /** @param idleMs how long a body may go on with less than 1 KiB of progress */
  constructor(idleMs: number) {
    this.#idleMs = idleMs;
    this.#timer = setInterval(() => this.sweep(performance.now()), Math.max(50, idleMs / 6)).unref();
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
      const moved = mark === undefined || upload.received - mark.bytes >= minProgressBytes;
      if (moved || !upload.waitsForClient) this.#marks.set(upload, { bytes: upload.received, at: now });
      else if (now - mark.at >= this.#idleMs)
        upload.abandon(new GatewayError("invalid_request", "The request body stopped arriving."));
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
