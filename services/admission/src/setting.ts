import type { Journal } from "@uag/journal/journal.ts";
import type { Clock } from "@uag/kit/clock.ts";
import type { Logger } from "@uag/kit/log.ts";
import type { RpcClient } from "@uag/kit/rpc/client.ts";
import type { GrantServiceServer } from "@uag/proto/billing/v1/grants.ts";
import type { Publisher } from "./publish/publisher.ts";
import type { WalletSettings } from "./wallet/wallet.ts";

/** Whose finals a publisher delivers. */
export interface PublisherOf {
  readonly journal: Journal;
  readonly holderId: string;
  readonly batchPrefix: string;
  readonly confirmed: () => void;
}

/** What every session of this process shares. */
export interface Setting {
  readonly service: string;
  readonly billing: RpcClient<GrantServiceServer>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wallet: WalletSettings;
  /** False: heartbeats are not sent by themselves. Default true. */
  readonly beats?: boolean;
  publisher(of: PublisherOf): Publisher;
  /**
   * Rests for so long, milliseconds, by the process's clock; ends early, and without an error, when
   * the signal fires.
   */
  rest(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets background work run; its failure is logged. */
  quiet(work: Promise<unknown>): void;
}
