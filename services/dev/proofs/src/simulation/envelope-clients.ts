import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { Envelopes } from "./envelopes.ts";
import type { Network, Peer } from "./network.ts";

export interface EnvelopeClientsOptions {
  readonly network: Network;
  readonly envelopes: Envelopes;
  /** Chooses the key that opens an envelope. */
  readonly opener: () => Caller;
  /** Billing recalls unspent money; the message may be lost. */
  readonly recall: () => void;
}

/** The clients that open and close envelopes through a router, whose calls may be lost. */
export class EnvelopeClients {
  readonly #options: EnvelopeClientsOptions;

  constructor(options: EnvelopeClientsOptions) {
    this.#options = options;
  }

  /** A client without a response repeats its call once. @param router undefined when all are paused */
  open(router: Peer | undefined): void {
    if (router === undefined) return;
    const { network, envelopes, opener } = this.#options;
    const terms = envelopes.terms(opener());
    const open = () => network.call(router, "open envelope", () => envelopes.open(terms));
    open()
      .catch(open)
      .then(
        (envelope) => envelopes.received(envelope),
        () => undefined,
      );
  }

  /** A client without a response gives up. */
  close(router: Peer | undefined): void {
    const { network, envelopes, recall } = this.#options;
    const id = envelopes.someOpen();
    if (router === undefined || id === undefined) return;
    const close = (): object => {
      recall();
      return envelopes.close(id);
    };
    network.call(router, "close envelope", close).catch(() => undefined);
  }
}
