import type { LimitName } from "@uag/contract/messages/billing";
import type { Acquired } from "@uag/ledger/rules/acquire";
import { larger } from "@uag/ledger/rules/money";
import type { Settlement } from "@uag/ledger/rules/settle";
import type { Logger } from "@uag/runtime/log";
import type { Metrics } from "@uag/runtime/metrics";

/** Billing's events, each logged and counted in one place. Amounts in nano-USD. */
export interface Events {
  accountCreated(accountId: string): void;
  toppedUp(event: { accountId: string; amount: bigint; reference: string }): void;
  correctionRefused(event: { accountId: string; amount: bigint }): void;
  acquired(event: { accountId: string; holderId: string; acquired: Acquired }): void;
  recalled(accountId: string): void;
  returned(event: { grantId: string; amount: bigint; closed: boolean }): void;
  released(event: { grantId: string; amount: bigint; why: string }): void;
  settled(accountId: string, settlement: Settlement): void;
  finishFailed(grantId: string, error: unknown): void;
  orphaned(holderId: string): void;
  holderClosed(event: { holderId: string; grants: number }): void;
  fenced(holderId: string): void;
  keyChanged(event: {
    keyId: string;
    accountId: string;
    change: "created" | "updated" | "regenerated" | "revoked";
  }): void;
  adminTokenChanged(event: { tokenId: string; change: "created" | "revoked" }): void;
  accountChanged(accountId: string): void;
  repaired(event: { accountId: string; requestId: string; charged: bigint; writtenOff: bigint }): void;
  audited(event: { accounts: bigint; entries: bigint; violations: readonly string[]; tookMs: number }): void;
  transactionRetried(): void;
  transactionCommitted(): void;
  /** Transactions left open by a process that died. */
  transactionsEnded(count: number): void;
  unblockFailed(error: unknown): void;
  reapFailed(error: unknown): void;
  /** Grants and holders that ended long ago were deleted. */
  pruned(deleted: { grants: number; holders: number; envelopes: number }): void;
  pruneFailed(error: unknown): void;
  /** Rows of a closed month are in a file, which was read back. */
  ledgerArchived(event: { month: string; part: { key: string; rows: bigint; bytes: bigint } }): void;
  ledgerArchiveFailed(error: unknown): void;
  /** A change of the catalogue is committed. */
  catalogChanged(event: { action: string; target: string; version: number }): void;
  /** The number of changes to the catalogue so far. */
  catalogVersion(version: number): void;
  /** Providers that were deleted long ago keep their credentials until the next attempt. */
  drainFailed(error: unknown): void;
  /** Receipts of requests priced now will not find their prices. */
  pricesNotKept(error: unknown): void;
  borrowed(event: { keyId: string; limit: LimitName; short: boolean }): void;
  fetchesLeased(event: { short: boolean }): void;
  limitRecalled(event: { keyId: string; limit: LimitName }): void;
  /** Holders of permits whose lease expired. */
  limitHoldersLapsed(count: number): void;
}

function accountEvents(log: Logger, metrics: Metrics) {
  const topUps = metrics.counter("uag_billing_top_ups_total");
  const refused = metrics.counter("uag_billing_negative_balance_attempts_total");
  const keys = metrics.counter("uag_billing_key_changes_total");
  const tokens = metrics.counter("uag_billing_admin_token_changes_total");
  return {
    accountCreated: (accountId) => log.info({ accountId }, "account created"),
    toppedUp: ({ accountId, amount, reference }) => {
      topUps.inc();
      log.info({ accountId, amountNanoUsd: String(amount), reference }, "account topped up");
    },
    correctionRefused: ({ accountId, amount }) => {
      refused.inc();
      log.warn({ accountId, amountNanoUsd: String(amount) }, "correction refused: it exceeds the available balance");
    },
    keyChanged: ({ keyId, accountId, change }) => {
      keys.inc({ change });
      log.info({ keyId, accountId }, `key ${change}`);
    },
    adminTokenChanged: ({ tokenId, change }) => {
      tokens.inc({ change });
      log.warn({ tokenId }, `admin token ${change}`);
    },
    accountChanged: (accountId) => log.info({ accountId }, "account changed"),
  } satisfies Partial<Events>;
}

function grantEvents(log: Logger, metrics: Metrics) {
  const acquires = metrics.counter("uag_billing_acquires_total");
  const granted = metrics.counter("uag_billing_granted_nano_usd_total");
  const givenBack = metrics.counter("uag_billing_returned_nano_usd_total");
  const recalls = metrics.counter("uag_billing_recalls_total");
  const released = metrics.counter("uag_billing_released_grants_total");
  const orphans = metrics.counter("uag_billing_orphaned_holders_total");
  const fenced = metrics.counter("uag_billing_fenced_calls_total");
  const grantedOutcome = acquires.labels("granted");
  const insufficientOutcome = acquires.labels("insufficient");
  return {
    acquired: ({ accountId, holderId, acquired }) => {
      if (acquired.kind === "insufficient") {
        insufficientOutcome.inc();
        log.debug({ accountId, holderId, availableNanoUsd: String(acquired.available) }, "insufficient balance");
        return;
      }
      grantedOutcome.inc();
      granted.inc(Number(acquired.grant.amount));
    },
    recalled: (accountId) => {
      recalls.inc();
      log.debug({ accountId }, "unspent money recalled");
    },
    returned: ({ amount }) => givenBack.inc(Number(amount)),
    released: ({ grantId, amount, why }) => {
      released.inc({ why });
      log.debug({ grantId, amountNanoUsd: String(amount), why }, "grant released");
    },
    orphaned: (holderId) => {
      orphans.inc();
      log.warn({ holderId }, "holder lost: its lease expired");
    },
    holderClosed: ({ holderId, grants }) => log.info({ holderId, grants }, "holder closed"),
    fenced: (holderId) => {
      fenced.inc();
      log.warn({ holderId }, "rejected a call from a fenced holder");
    },
  } satisfies Partial<Events>;
}

function settleEvents(log: Logger, metrics: Metrics) {
  const settles = metrics.counter("uag_billing_settled_total");
  const charged = metrics.counter("uag_billing_charged_nano_usd_total");
  const lost = metrics.counter("uag_billing_written_off_nano_usd_total");
  const writeOffs = metrics.counter("uag_billing_write_offs_total");
  const late = metrics.counter("uag_billing_late_settles_total");
  const unpriced = metrics.counter("uag_billing_unpriced_total");
  const repairs = metrics.counter("uag_billing_repaired_total");
  const refunded = metrics.counter("uag_billing_refunded_nano_usd_total");
  const isNew = settles.labels("new");
  const duplicate = settles.labels("duplicate");
  return {
    repaired: ({ accountId, requestId, charged: amount, writtenOff }) => {
      repairs.inc();
      charged.inc(Number(larger(amount, 0n)));
      lost.inc(Number(larger(writtenOff, 0n)));
      const returned = larger(-amount, 0n) + larger(-writtenOff, 0n);
      refunded.inc(Number(returned));
      const amounts = { chargedNanoUsd: String(amount), writtenOffNanoUsd: String(writtenOff) };
      log.info({ accountId, requestId, ...amounts }, "corrected the charge of an unpriced request");
    },
    finishFailed: (grantId, error) =>
      log.warn({ grantId, err: error }, "could not close a used-up grant; it is closed with its holder"),
    settled: (accountId, settlement) => {
      if (!settlement.isNew) {
        duplicate.inc();
        return;
      }
      isNew.inc();
      charged.inc(Number(settlement.charged));
      const { requestId } = settlement;
      if (settlement.late) late.inc();
      if (settlement.unpriced) {
        unpriced.inc();
        log.error({ accountId, requestId }, "request cannot be priced; charged provisionally until repaired");
      }
      if (settlement.writtenOff > 0n) {
        writeOffs.inc();
        lost.inc(Number(settlement.writtenOff));
        log.warn({ accountId, requestId, nanoUsd: String(settlement.writtenOff) }, "cost written off");
      }
    },
  } satisfies Partial<Events>;
}

function limitEvents(log: Logger, metrics: Metrics) {
  const borrows = metrics.counter("uag_billing_limit_borrows_total");
  const fetches = metrics.counter("uag_billing_url_fetch_leases_total");
  const recalls = metrics.counter("uag_billing_limit_recalls_total");
  const lapsed = metrics.counter("uag_billing_limit_holders_lapsed_total");
  return {
    borrowed: ({ limit, short }) => borrows.inc({ limit, outcome: short ? "short" : "lent" }),
    fetchesLeased: ({ short }) => fetches.inc({ outcome: short ? "short" : "lent" }),
    limitRecalled: ({ keyId, limit }) => {
      recalls.inc({ limit });
      log.debug({ keyId, limit }, "idle permits recalled");
    },
    limitHoldersLapsed: (count) => {
      lapsed.inc(count);
      log.warn({ count }, "permit holders lost: their leases expired");
    },
  } satisfies Partial<Events>;
}

function archiveEvents(log: Logger, metrics: Metrics) {
  const rows = metrics.counter("uag_ledger_archived_rows_total");
  const failures = metrics.counter("uag_ledger_archive_failures_total");
  return {
    ledgerArchived: ({ month, part }) => {
      rows.inc(Number(part.rows));
      const { key } = part;
      log.info({ month, key, rows: String(part.rows), bytes: String(part.bytes) }, "ledger rows archived");
    },
    ledgerArchiveFailed: (error) => {
      failures.inc();
      log.error({ err: error }, "archiving the ledger failed");
    },
  } satisfies Partial<Events>;
}

function catalogEvents(log: Logger, metrics: Metrics) {
  const current = metrics.gauge("uag_billing_catalog_version");
  return {
    catalogVersion: (version) => current.set(version),
    catalogChanged: ({ action, target, version }) => {
      current.set(version);
      log.info({ action, target, version }, "catalogue changed");
    },
    drainFailed: (error) => log.warn({ err: error }, "deleting drained providers failed"),
  } satisfies Partial<Events>;
}

export function createEvents(log: Logger, metrics: Metrics): Events {
  const violations = metrics.gauge("uag_billing_audit_violations");
  const committed = metrics.counter("uag_billing_transactions_total");
  const retries = metrics.counter("uag_billing_transaction_retries_total");
  const abandoned = metrics.counter("uag_billing_abandoned_transactions_total");
  const prunedGrants = metrics.counter("uag_billing_pruned_grants_total");
  const reapFailures = metrics.counter("uag_billing_reap_failures_total");
  return {
    ...accountEvents(log, metrics),
    ...grantEvents(log, metrics),
    ...settleEvents(log, metrics),
    ...limitEvents(log, metrics),
    ...archiveEvents(log, metrics),
    ...catalogEvents(log, metrics),
    audited: (event) => {
      violations.set(event.violations.length);
      const counts = { accounts: String(event.accounts), entries: String(event.entries), tookMs: event.tookMs };
      if (event.violations.length === 0) log.info(counts, "the books are exact");
      else
        log.error({ ...counts, violations: event.violations.slice(0, 20) }, "the audit of the ledger found violations");
    },
    transactionRetried: () => retries.inc(),
    transactionCommitted: () => committed.inc(),
    transactionsEnded: (count) => {
      if (count === 0) return;
      abandoned.inc(count);
      log.warn({ count }, "aborted open transactions of a dead process");
    },
    unblockFailed: (error) => log.error({ err: error }, "aborting transactions of dead processes failed"),
    pruned: ({ grants, holders, envelopes }) => {
      prunedGrants.inc(grants);
      if (grants + holders + envelopes > 0)
        log.info({ grants, holders, envelopes }, "pruned ended grants, holders and envelopes");
    },
    pricesNotKept: (error) => log.error({ err: error }, "storing the catalogue's prices failed"),
    pruneFailed: (error) => log.warn({ err: error }, "pruning ended grants, holders and envelopes failed"),
    reapFailed: (error) => {
      reapFailures.inc();
      log.error({ err: error }, "releasing the grants of dead holders failed");
    },
  };
}
