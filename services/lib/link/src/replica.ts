import { backoffMs, halfJitter } from "@uag/runtime/backoff";
import { ClientLink, type ClientLinkHost } from "./client-link.ts";
import type { LinkError } from "./errors.ts";
import type { Dial } from "./transport.ts";

/** Milliseconds. */
const redialBackoff = { firstMs: 50, maxMs: 2_000 };
/** A link that lived this long does not count as a failed attempt. */
const steadyAfterMs = 5_000;

/** One replica of a service: its address and how many links to keep. */
export interface ReplicaOptions {
  address: string;
  links: number;
  dial: Dial;
  connectTimeoutMs: number;
  maxExchangesPerLink?: number;
  /** How long a replica that was never reached may be starting, milliseconds. */
  startGraceMs: number;
  onReady: () => void;
  /** A ready link broke, or none could be opened for the time of a start: reported once. */
  onLinkClosed: (address: string, error: LinkError) => void;
}

/** One link slot of a replica: its current or connecting link, and when to reconnect. */
class Slot implements ClientLinkHost {
  link: ClientLink | undefined;
  readonly #options: ReplicaOptions;
  readonly #draining = new Set<ClientLink>();
  #attempts = 0;
  #readyAt = 0;
  readonly #since = performance.now();
  #reported = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#connect();
  }

  get outstanding(): number {
    let count = this.link?.outstanding ?? 0;
    for (const link of this.#draining) count += link.outstanding;
    return count;
  }

  /**
   * Stops reconnecting; the links end when they are idle, or immediately when an error is given.
   */
  close(error: LinkError | undefined): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    const link = this.link;
    if (error === undefined) {
      if (link?.ready === false) link.giveUp("no longer wanted");
      else link?.drain();
      return;
    }
    link?.close(error);
    for (const draining of [...this.#draining]) draining.close(error);
  }

  onLinkReady(): void {
    clearTimeout(this.#timer);
    this.#readyAt = performance.now();
    this.#reported = false;
    this.#options.onReady();
  }

  onLinkDraining(link: ClientLink): void {
    this.#draining.add(link);
    this.#replace(link);
  }

  onLinkClosed(link: ClientLink, error: LinkError): void {
    // The end of a drained link and repeated failed attempts are not worth reporting.
    const isNews = !this.#draining.delete(link) && (this.#readyAt > 0 || (!this.#reported && this.#isFault(error)));
    this.#replace(link);
    if (!isNews) return;
    this.#reported = true;
    this.#options.onLinkClosed(this.#options.address, error);
  }

  /** The replica may be starting: until then only an error other than a lost connection counts. */
  #isFault({ code }: LinkError): boolean {
    return code !== "broken" || performance.now() - this.#since >= this.#options.startGraceMs;
  }

  #connect(): void {
    const { address, dial, maxExchangesPerLink } = this.#options;
    const limit = maxExchangesPerLink === undefined ? {} : { maxExchanges: maxExchangesPerLink };
    const link = new ClientLink({ address, dial, host: this, ...limit });
    this.link = link;
    this.#timer = setTimeout(() => link.giveUp("connection timed out"), this.#options.connectTimeoutMs);
    this.#timer.unref();
  }

  #replace(link: ClientLink): void {
    if (this.link !== link) return;
    this.link = undefined;
    clearTimeout(this.#timer);
    if (this.#closed) return;
    if (this.#readyAt > 0 && performance.now() - this.#readyAt > steadyAfterMs) this.#attempts = 0;
    this.#readyAt = 0;
    this.#timer = setTimeout(() => this.#connect(), halfJitter(backoffMs(this.#attempts++, redialBackoff)));
  }
}

/** One address of the service and its links, kept up for as long as the replica is wanted. */
export class Replica {
  readonly address: string;
  readonly #slots: Slot[] = [];

  constructor(options: ReplicaOptions) {
    this.address = options.address;
    for (let i = 0; i < options.links; i++) this.#slots.push(new Slot(options));
  }

  /** The ready link with the fewest exchanges in flight. */
  get bestLink(): ClientLink | undefined {
    let best: ClientLink | undefined;
    for (const { link } of this.#slots) {
      if (link?.ready === true && (best === undefined || link.outstanding < best.outstanding)) best = link;
    }
    return best;
  }

  get outstanding(): number {
    let count = 0;
    for (const slot of this.#slots) count += slot.outstanding;
    return count;
  }

  close(error?: LinkError): void {
    for (const slot of this.#slots) slot.close(error);
  }
}
