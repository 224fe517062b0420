import type { Bus } from "@uag/kit/bus.ts";
import type { Keyring } from "@uag/kit/keyring.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Events } from "./events.ts";
import type { Funds } from "./grants/funds.ts";
import type { Refusals } from "./grants/refusals.ts";
import type { EscrowChange } from "./ledger/escrow.ts";
import type { Limits } from "./limits/limits.ts";
import type { Prices, ReadCatalog } from "./repair/prices.ts";
import type { AccountQueue } from "./store/queue.ts";
import type { Store } from "./store/store.ts";
import type { Transact } from "./store/transaction.ts";

/** How the RPCs behave, from the environment. */
export interface Settings {
  /** Digests of keys and tokens are made under these. */
  readonly peppers: Keyring;
  readonly leaseMs: number;
  readonly orphanGraceMs: number;
  readonly reapIntervalMs: number;
  readonly recallWaitMs: number;
  readonly grantShare: bigint;
  /** An account for which more than this is written off is admitted nothing, nano-USD. */
  readonly writeOffLimit: bigint;
  /** Events that their grants cover are charged to those alone. */
  readonly fromGrants: boolean;
  /** Database of the auditor's verdicts. */
  readonly auditDatabase: string;
}

/** What the RPCs work with. */
export interface Billing {
  readonly store: Store;
  readonly queue: AccountQueue;
  /**
   * Charges events to their grants, whatever their accounts; answers what was left for the
   * accounts.
   */
  readonly settleFromGrants: (events: readonly UsageEvent[]) => Promise<EscrowChange>;
  /** For changes that leave a row in the audit log. */
  readonly transact: Transact;
  readonly prices: Prices;
  readonly readCatalog: ReadCatalog;
  readonly funds: Funds;
  readonly refusals: Refusals;
  /**
   * Asks all holders of an account for what they hold unspent; false when they were asked a moment
   * ago.
   */
  readonly recall: (accountId: string) => boolean;
  /** Makes sure a holder is known. */
  readonly register: (holderId: string) => Promise<void>;
  readonly limits: Limits;
  readonly bus: Bus;
  readonly events: Events;
  readonly settings: Settings;
}
