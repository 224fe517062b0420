import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type BufferLease, Lease } from "./buffer-lease.ts";

export type { BufferLease } from "./buffer-lease.ts";

/** The limits of a {@link BufferBudget}, bytes. */
export interface BufferLimits {
  /** Most bytes held at once by the whole process. */
  readonly totalBytes: number;
  /** Most bytes held at once for one owner. */
  readonly ownerBytes: number;
  /** Bytes beyond the total that only leases of at most 64 KiB may use; default 0. */
  readonly smallBytes?: number;
}

const mebi = 1024 * 1024;
/** Default limits of a process: 512 MiB in total, 128 MiB per owner, and 4 MiB for small leases. */
export const defaultBufferLimits = {
  totalBytes: 512 * mebi,
  ownerBytes: 128 * mebi,
  smallBytes: 4 * mebi,
} as const satisfies BufferLimits;

/** Most bytes of a small lease: a usual request, or its response. */
const smallLeaseBytes = 64 * 1024;

const retryAfterMs = 1_000;
/** How long a reservation waits for room, and a growing lease before it overdraws. */
const defaultPatienceMs = 5_000;

/** A lease that waits for room. */
interface Waiter {
  readonly owner: string;
  readonly bytes: number;
  /** What it holds already. */
  readonly held: number;
  /** Takes the bytes. */
  grant(): unknown;
}

/**
 * Bounds the memory a process holds for its clients: request bodies, forms, fetched media, and
 * responses. To buffer something, open a lease for the account and add to it before accepting the
 * bytes:
 *
 *     using lease = buffers.open(caller.accountId);
 *     lease.take(chunk.length);
 *
 * Each account is limited to its share, so that one without money cannot use up the memory that
 * others need. Small leases have a reserve, so that they neither wait for large ones nor are
 * refused because of them.
 */
export class BufferBudget {
  readonly #limits: BufferLimits;
  readonly #patienceMs: number;
  readonly #owners = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #held = 0;
  #refused = 0;
  #overdrawn = false;

  constructor(limits: BufferLimits = defaultBufferLimits, patienceMs = defaultPatienceMs) {
    this.#limits = limits;
    this.#patienceMs = patienceMs;
  }

  /** Bytes currently held. */
  get held(): number {
    return this.#held;
  }

  /** Most bytes that can be held, except for small leases and what one lease may overdraw. */
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
    return new Lease({
      largest: this.largest,
      fits: (bytes, held) => this.#fits({ owner, bytes, held }),
      move: (bytes) => this.#move(owner, bytes),
      wait: ({ bytes, held, grant }, signal) => this.#wait({ owner, bytes, held, grant }, signal),
      overdraw: () => {
        if (this.#overdrawn) return false;
        this.#overdrawn = true;
        return true;
      },
      repaid: () => {
        this.#overdrawn = false;
      },
      refusal: (bytes) => this.#refusal(bytes),
    });
  }

  #fits({ owner, bytes, held }: Omit<Waiter, "grant">): boolean {
    const { totalBytes, ownerBytes, smallBytes = 0 } = this.#limits;
    const most = held + bytes <= smallLeaseBytes ? totalBytes + smallBytes : totalBytes;
    return this.#held + bytes <= most && this.heldBy(owner) + bytes <= ownerBytes;
  }

  #refusal(bytes: number): GatewayError {
    this.#refused++;
    const text =
      this.#held + bytes <= this.#limits.totalBytes
        ? "This account's uploads and running requests use all of its memory share. Try again shortly."
        : "Uploads and running requests use all of the service's memory. Try again shortly.";
    return new GatewayError("service_unavailable", text, { retryAfterMs });
  }

  #move(owner: string, bytes: number): void {
    if (bytes === 0) return;
    this.#held += bytes;
    const held = this.heldBy(owner) + bytes;
    if (held === 0) this.#owners.delete(owner);
    else this.#owners.set(owner, held);
    if (bytes < 0) this.#grantWaiting();
  }

  #grantWaiting(): void {
    for (const waiter of this.#waiting) {
      if (!this.#fits(waiter)) continue;
      this.#waiting.delete(waiter);
      waiter.grant();
    }
  }

  /** True once the bytes were granted, false when there was no room in time. */
  #wait({ grant, ...asked }: Waiter, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const waiter: Waiter = {
      ...asked,
      grant: () => {
        grant();
        resolve(true);
      },
    };
    this.#waiting.add(waiter);
    const timer = setTimeout(() => resolve(false), this.#patienceMs);
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort);
    return promise.finally(() => {
      this.#waiting.delete(waiter);
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    });
  }
}
