import { GatewayError } from "@uag/contract/errors/gateway-error";

/** A recipient of messages: when dead, they are lost; when paused, they wait. */
export interface Peer {
  readonly name: string;
  readonly alive: boolean;
  readonly paused: boolean;
}

interface Letter {
  readonly what: string;
  /** The recipient, which must be alive for the message to arrive; undefined: the store, which always is. */
  readonly to: Peer | undefined;
  arrive(): void;
}

export interface NetworkOptions {
  /** A random integer from 0 to below the argument. */
  readonly random: (below: number) => number;
  /** Percentage of messages that are lost; the same percentage arrives after the sender gave up. */
  lossPercent: number;
}

const noResponse = (): GatewayError => new GatewayError("service_unavailable", "The response timed out.");

/**
 * Messages in flight, which arrive in any order, some after their senders have given up, and some
 * never.
 */
export class Network {
  readonly #options: NetworkOptions;
  readonly #letters: Letter[] = [];

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#letters.length;
  }

  /** Stops losing messages. */
  heal(): void {
    this.#options.lossPercent = 0;
  }

  #chance(): boolean {
    return this.#options.random(100) < this.#options.lossPercent;
  }

  /** Sends a one-way message, which may be lost. */
  report(to: Peer, what: string, arrive: () => void): void {
    if (!this.#chance()) this.#letters.push({ what, to, arrive });
  }

  /**
   * Calls the store. `execute` runs when the call arrives, possibly after it was given up and sent
   * again. Returning undefined postpones it.
   */
  call<A>(from: Peer, what: string, execute: () => A | undefined): Promise<A> {
    return new Promise((resolve, reject) => {
      const respond = (name: string, deliver: () => void): void => {
        const lost = this.#chance();
        const arrive = lost ? (): void => reject(noResponse()) : deliver;
        this.#letters.push({ what: `${name} ${lost ? "lost" : "answered"}`, to: from, arrive });
      };
      const run = (heard: boolean): void => {
        try {
          const result = execute();
          if (result === undefined) this.#letters.push({ what, to: undefined, arrive: () => run(heard) });
          else if (heard) respond(what, () => resolve(result));
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
          if (heard) respond(what, () => reject(error));
        }
      };
      if (this.#chance()) return respond(`${what} unheard`, () => reject(noResponse()));
      const late = this.#chance();
      this.#letters.push({ what, to: undefined, arrive: () => run(!late) });
      if (late) respond(`${what} late`, () => reject(noResponse()));
    });
  }

  /**
   * Delivers one of the deliverable messages and returns its description; undefined when there is
   * none.
   */
  deliver(): string | undefined {
    for (let tries = 0; tries < 4 && this.#letters.length > 0; tries++) {
      const at = this.#options.random(this.#letters.length);
      const letter = this.#letters[at] as Letter;
      if (letter.to?.alive && letter.to.paused) continue;
      const last = this.#letters.pop() as Letter;
      if (at < this.#letters.length) this.#letters[at] = last;
      if (letter.to?.alive === false) continue;
      letter.arrive();
      return `${letter.to?.name ?? "store"}: ${letter.what}`;
    }
    return undefined;
  }
}
