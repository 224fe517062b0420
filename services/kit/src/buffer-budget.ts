import { GatewayError } from "@uag/contract/errors/gateway-error.ts";

/** How much a {@link BufferBudget} lets be held, bytes. */
export interface BufferLimits {
  /** Most bytes held at once by the whole process. */
  readonly totalBytes: number;
  /** Most bytes held at once for one owner. */
  readonly ownerBytes: number;
}

const mebi = 1024 * 1024;
/** Limits of a process that sets none: 512 MiB in all, 128 MiB for one owner. */
export const defaultBufferLimits: BufferLimits = { totalBytes: 512 * mebi, ownerBytes: 128 * mebi };

const retryAfterMs = 1_000;

/**
 * Bounds what a process holds in memory for its clients: request bodies, forms, fetched media,
 * answers kept to be stored. Whoever buffers takes a lease for the account it does so for and adds
 * to it before the bytes are accepted:
 *
 *     using lease = buffers.open(caller.accountId);
 *     lease.take(chunk.length);
 *
 * No account can hold more than its part, so that one without money cannot use up what others need.
 */
export class BufferBudget {
  readonly #limits: BufferLimits;
  readonly #owners = new Map<string, number>();
  #held = 0;
  #refused = 0;

  constructor(limits: BufferLimits = defaultBufferLimits) {
    this.#limits = limits;
  }

  /** Bytes held now. */
  get held(): number {
    return this.#held;
  }

  /** Most bytes that one owner can ever hold. */
  get largest(): number {
    return Math.min(this.#limits.totalBytes, this.#limits.ownerBytes);
  }

  /** How often there was no room. */
  get refused(): number {
    return this.#refused;
  }

  /** Bytes held now for one owner. */
  heldBy(owner: string): number {
    return this.#owners.get(owner) ?? 0;
  }

  /**
   * A lease that holds nothing yet. Disposing it, once or more often, gives back all that it holds.
   */
  open(owner: string): BufferLease {
    let mine = 0;
    const move = (bytes: number): void => {
      mine += bytes;
      this.#move(owner, bytes);
    };
    return {
      get held() {
        return mine;
      },
      take: (bytes) => {
        this.#check(owner, bytes);
        move(bytes);
      },
      give: (bytes) => move(-Math.min(bytes, mine)),
      [Symbol.dispose]: () => move(-mine),
    };
  }

  #check(owner: string, bytes: number): void {
    const { totalBytes, ownerBytes } = this.#limits;
    const hasRoom = this.#held + bytes <= totalBytes;
    if (hasRoom && this.heldBy(owner) + bytes <= ownerBytes) return;
    this.#refused++;
    const text = hasRoom
      ? "Too much data of this account is held at the moment: uploads, and requests under way. Try again shortly."
      : "Too much data is being uploaded at the moment. Try again shortly.";
    throw new GatewayError("service_unavailable", text, { retryAfterMs });
  }

  #move(owner: string, bytes: number): void {
    if (bytes === 0) return;
    this.#held += bytes;
    const held = this.heldBy(owner) + bytes;
    if (held === 0) this.#owners.delete(owner);
    else this.#owners.set(owner, held);
  }
}

/** What one piece of work holds of a {@link BufferBudget}. */
export interface BufferLease extends Disposable {
  /** Bytes that this lease holds. */
  readonly held: number;
  /**
   * Adds to what is held; call it before the bytes are accepted.
   * @throws {GatewayError} `service_unavailable` (503, with a time to wait) when there is no room;
   * then nothing is added
   */
  take(bytes: number): void;
  /** Gives a part back early. More than is held counts as all of it. */
  give(bytes: number): void;
}
