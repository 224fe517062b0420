import type { Store } from "@uag/ledger/documents/store";
import type { EscrowChange } from "@uag/ledger/rules/escrow";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Bus } from "@uag/runtime/bus";
import type { Keyring } from "@uag/runtime/keyring";
import type { LedgerArchive } from "./archive/archive.ts";
import type { CredentialBox } from "./catalog/credential-box.ts";
import type { Events } from "./events.ts";
import type { Funds } from "./grants/funds.ts";
import type { Refusals } from "./grants/refusals.ts";
import type { FetchBudget } from "./limits/fetch-budget.ts";
import type { Limits } from "./limits/limits.ts";
import type { Prices, ReadCatalog, ReadSource } from "./repair/prices.ts";
import type { AccountQueue } from "./store/queue.ts";
import type { Transact } from "./store/transaction.ts";

/** Settings of the RPCs, read from the environment. */
export interface Settings {
  /** Peppers for the digests of keys and tokens. */
  readonly peppers: Keyring;
  readonly leaseMs: number;
  readonly orphanGraceMs: number;
  readonly reapIntervalMs: number;
  readonly recallWaitMs: number;
  readonly grantShare: bigint;
  /** An account with more than this written off is refused new grants, nano-USD. */
  readonly writeOffLimit: bigint;
  /** Events covered by their grants are charged to those alone, without touching the account. */
  readonly fromGrants: boolean;
  /** Database that holds the auditor's verdicts. */
  readonly auditDatabase: string;
  /** Non-public `host:port` pairs that a provider's base URL may have. */
  readonly egressAllow: readonly string[];
}

/** Dependencies of the RPCs. */
export interface Billing {
  readonly store: Store;
  /** Ledger rows, months, budgets and leases go by it. */
  readonly clock: DatabaseClock;
  readonly queue: AccountQueue;
  /** Charges events of any accounts to their grants; returns those left for the accounts. */
  readonly settleFromGrants: (events: readonly UsageEvent[]) => Promise<EscrowChange>;
  /** For changes that are recorded in the audit log. */
  readonly transact: Transact;
  readonly prices: Prices;
  readonly readCatalog: ReadCatalog;
  readonly readSource: ReadSource;
  /** Encrypts the providers' credentials. */
  readonly credentials: CredentialBox;
  readonly funds: Funds;
  readonly refusals: Refusals;
  /**
   * Asks every holder of an account to return what it holds unspent; false when they were asked a
   * moment ago.
   */
  readonly recall: (accountId: string) => boolean;
  /** Ensures that a holder is registered. */
  readonly register: (holderId: string) => Promise<void>;
  readonly limits: Limits;
  readonly fetchBudget: FetchBudget;
  readonly archive: LedgerArchive;
  readonly bus: Bus;
  readonly events: Events;
  readonly settings: Settings;
}
