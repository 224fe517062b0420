import { GatewayError } from "@uag/kit/errors.ts";

/** Bounds what uploads hold in memory, over all requests. */
export class UploadMemory {
  readonly #most: number;
  #held = 0;

  /** @param most bytes */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes held now. */
  get held(): number {
    return this.#held;
  }

  /** A share that grows as an upload comes in, and is given back as a whole. */
  share(): { take(bytes: number): void } & Disposable {
    let mine = 0;
    return {
      /** @throws {GatewayError} `service_unavailable` when there is no room */
      take: (bytes) => {
        if (this.#held + bytes > this.#most) {
          throw new GatewayError("service_unavailable", "Too many uploads are under way. Try again shortly.");
        }
        this.#held += bytes;
        mine += bytes;
      },
      [Symbol.dispose]: () => {
        this.#held -= mine;
        mine = 0;
      },
    };
  }
}
