import type { BatchKey } from "@uag/kit/batch-mac.ts";
import type { Bus } from "@uag/kit/bus.ts";
import type { Clock } from "@uag/kit/clock.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { Metrics } from "@uag/kit/metrics.ts";
import type { Identity } from "@uag/kit/rpc/identity.ts";
import type { PublisherSettings } from "./publish/publisher.ts";
import type { WalletSettings } from "./wallet/wallet.ts";

/** What admission is made of in a process: its peers, its journal and its bounds. */
export interface AdmissionOptions {
  /** The name of the service, for billing's books. */
  readonly service: string;
  /** Unique per process start; made when not given. */
  readonly holderId?: string;
  readonly billing: { readonly address: string };
  readonly metering: { readonly address: string };
  /** For calls to both. */
  readonly identity: Identity;
  readonly bus: Bus;
  /** Signs what is published; undefined where metering asks for no proof. */
  readonly batchKey?: BatchKey | undefined;
  /** Shared by all replicas on this volume. */
  readonly journalDir: string;
  /** `allow`: it may be on a file system that several machines can have. Default `refuse`. */
  readonly sharedFileSystem?: "refuse" | "allow";
  /** From this size on no new work is admitted, bytes. Default 1 GiB. */
  readonly journalMaxBytes?: number;
  readonly journalSegmentBytes?: number;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock?: Clock;
  /** In front of the names of streams, consumers and subjects. Default empty. */
  readonly streamPrefix?: string;
  readonly wallet?: WalletSettings;
  readonly publish?: Omit<PublisherSettings, "subjectOf" | "batchKey">;
  /**
   * Grants and permits of limits that nobody used for this long go back. Default 150,000 for grants
   * and 10,000 for permits.
   */
  readonly idleMs?: number;
  /** How often dead processes' journals are looked for. Default 30,000. */
  readonly adoptMs?: number;
  /** How long stopping waits for open requests. Default 15,000. */
  readonly stopMs?: number;
}
