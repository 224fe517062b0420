import type { Kernel } from "@uag/usage/journal/kernel";
import type { Network, Peer } from "./network.ts";
import type { Permits } from "./permits.ts";
import type { Store } from "./store.ts";
import type { Volume } from "./volume.ts";

export interface ReplicaOptions {
  readonly name: string;
  readonly kernel: Kernel;
  readonly volume: Volume;
  readonly network: Network;
  readonly store: Store;
  readonly permits: Permits;
  /** True time, milliseconds. */
  readonly now: () => number;
  /** A random integer from 0 to below the argument. */
  readonly random: (below: number) => number;
  /** Recalls unspent money from all holders. */
  readonly recallMoney: () => void;
  /** Recalls idle permits from all other holders. */
  readonly recallPermits: (of: { readonly borrower: Peer; readonly kind: number; readonly need: number }) => void;
}
