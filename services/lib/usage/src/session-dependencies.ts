import type { GrantServiceServer } from "@uag/proto/billing/v1/grants.ts";
import type { Clock } from "@uag/runtime/clock";
import type { Logger } from "@uag/runtime/log";
import type { RpcClient } from "@uag/runtime/rpc/client";
import type { Journal } from "./journal/journal.ts";
import type { Publisher } from "./publish/publisher.ts";
import type { WalletSettings } from "./wallet/wallet.ts";

/** The finals that a publisher delivers. */
interface PublisherOf {
  readonly journal: Journal;
  readonly holderId: string;
  readonly batchPrefix: string;
  readonly confirmed: () => void;
}

/** Dependencies shared by all sessions of this process. */
export interface SessionDependencies {
  readonly service: string;
  readonly billing: RpcClient<GrantServiceServer>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wallet: WalletSettings;
  /** False: no automatic heartbeats. Default true. */
  readonly beats?: boolean;
  publisher(of: PublisherOf): Publisher;
  /**
   * Waits this many milliseconds on the process's clock; returns early, without an error, when the
   * signal fires.
   */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs work in the background and logs its failure. */
  quiet(work: Promise<unknown>): void;
}
