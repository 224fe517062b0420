import { GatewayError } from "@uag/contract/errors/gateway-error.ts";

/** The limits of a {@link BufferBudget}, bytes. */
export interface BufferLimits {
  /** Most bytes held at once by the whole process. */
  readonly totalBytes: number;
  /** Most bytes held at once for one owner. */
  readonly ownerBytes: number;
}

const mebi = 1024 * 1024;
/** Default limits of a process: 512 MiB in total, 128 MiB per owner. */
export const defaultBufferLimits: BufferLimits = { totalBytes: 512 * mebi, ownerBytes: 128 * mebi };

const retryAfterMs = 1_000;

/**
 * Bounds the memory a process holds for its clients: request bodies, forms, fetched media,
 * responses to be stored. To buffer something, open a lease for the account and add to it before
 * accepting the bytes:
 *
 *     using lease = buffers.open(caller.accountId);
 *     lease.take(chunk.length);
 *
 * Each account is limited to its share, so that one without money cannot use up the memory that
 * others need.
 */
export class BufferBudget {
  readonly #limits: BufferLimits;
  readonly #owners = new Map<string, number>();
  #held = 0;
  #refused = 0;

  constructor(limits: BufferLimits = defaultBufferLimits) {
    this.#limits = limits;
  }

  /** Bytes currently held. */
  get held(): number {
    return this.#held;
  }

  /** Most bytes that can be held. */
  get total(): number {
    return this.#limits.totalBytes;
  }

  /** Most bytes that one owner can ever hold. */
  get largest(): number {
    return Math.min(this.#limits.totalBytes, this.#limits.ownerBytes);
  }

  /** How often a request for memory was refused. */
  get refused(): number {
    return this.#refused;
  }

  /** Bytes currently held for one owner. */
  heldBy(owner: string): number {
    return this.#owners.get(owner) ?? 0;
  }

  /**
   * Opens an empty lease. Disposing it releases everything it holds; repeating that has no effect.
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

/** One piece of work's share of a {@link BufferBudget}. */
export interface BufferLease extends Disposable {
  /** Bytes held by this lease. */
  readonly held: number;
  /**
   * Adds to the held bytes; call it before accepting them.
   * @throws {GatewayError} `service_unavailable` (503, with a retry time) when there is no room;
   * then nothing is added
   */
  take(bytes: number): void;
  /** Releases a part early. More than is held releases everything. */
  give(bytes: number): void;
}
