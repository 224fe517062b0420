import type { Upstream } from "@uag/catalog/types";

/** Whether the calls of one request may be made, by the spend caps of their credentials. */
export interface CallSpend {
  /** Resolves when what the caps leave is known; undefined if it is. */
  prepare(upstreams: readonly Upstream[]): Promise<unknown> | undefined;
  /** The cap of the upstream's own credential does not leave what the request may cost. */
  isOver(upstream: Upstream): boolean;
  /** A call with the upstream's own credential begins. */
  began(upstream: Upstream): void;
  /** The end of the first period whose cap is reached, unix milliseconds; 0: not known. */
  untilMs(upstreams: readonly Upstream[]): number;
}
