import type { token as adminToken, auditRecord } from "@uag/contract/responses/admin";
import type { account as accountResponse, ledgerEntry } from "@uag/contract/responses/admin-money";
import type { Shown } from "@uag/contract/responses/shown";
import type { Account } from "@uag/proto/billing/v1/accounts.ts";
import type { AdminToken, AuditRecord } from "@uag/proto/billing/v1/admin.ts";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { usdText } from "@uag/runtime/usd";
import { roleName } from "./access.ts";
import { timeText } from "./json.ts";
import { showEvent } from "./show-usage.ts";

interface Columns {
  readonly availableNanoUsd: bigint;
  readonly heldNanoUsd: bigint;
  readonly chargedNanoUsd: bigint;
  readonly writtenOffNanoUsd: bigint;
  readonly toppedUpNanoUsd: bigint;
}

function showColumns(money: Columns) {
  return {
    available_usd: usdText(money.availableNanoUsd),
    available_nano_usd: money.availableNanoUsd,
    held_usd: usdText(money.heldNanoUsd),
    held_nano_usd: money.heldNanoUsd,
    charged_usd: usdText(money.chargedNanoUsd),
    charged_nano_usd: money.chargedNanoUsd,
    written_off_usd: usdText(money.writtenOffNanoUsd),
    written_off_nano_usd: money.writtenOffNanoUsd,
    topped_up_usd: usdText(money.toppedUpNanoUsd),
    topped_up_nano_usd: money.toppedUpNanoUsd,
  };
}

export function showAccount(account: Account): Shown<typeof accountResponse> {
  const { id, name, createdAtMs, disabled = false } = account;
  const { keepsNoAnswers = false, lowersOutputCap = false, storesResponses = false } = account;
  const repaid = { repaid_usd: usdText(account.repaidNanoUsd), repaid_nano_usd: account.repaidNanoUsd };
  const shown = {
    id,
    object: "account" as const,
    name,
    created_at: timeText(createdAtMs),
    keep_answers: !keepsNoAnswers,
    lower_output_cap: lowersOutputCap,
    store_responses: storesResponses,
    disabled,
  };
  return { ...shown, ...showColumns(account), ...repaid };
}

/** A row of the ledger: the columns are its changes. */
export function showEntry(entry: Entry): Shown<typeof ledgerEntry> {
  return {
    id: entry.id,
    object: "ledger_entry" as const,
    account_id: entry.accountId,
    seq: entry.seq,
    kind: entry.kind,
    at: timeText(entry.atMs),
    ...showColumns(entry),
    request_id: entry.requestId || null,
    grant_id: entry.grantId || null,
    note: entry.note,
    event: entry.event === undefined ? null : showEvent(entry.event),
    previous_hash: Buffer.from(entry.previousHash).toString("hex"),
    hash: Buffer.from(entry.hash).toString("hex"),
  };
}

/** Null for rows that are older than the hash chain. */
const hashText = (hash: Uint8Array): string | null => (hash.length === 0 ? null : Buffer.from(hash).toString("hex"));

const parsed = (text: string): unknown => (text === "" ? null : JSON.parse(text));

export function showAuditRecord(record: AuditRecord): Shown<typeof auditRecord> {
  const { id, atMs, actor, action, targetId, accountId } = record;
  return {
    id,
    object: "audit_record" as const,
    at: timeText(atMs),
    action,
    target_id: targetId,
    account_id: accountId || null,
    actor: { id: actor?.id ?? "", name: actor?.name ?? "", request_id: actor?.requestId || null },
    client_address: actor?.clientAddress || null,
    before: parsed(record.before),
    after: parsed(record.after),
    seq: record.seq === 0n ? null : record.seq,
    previous_hash: hashText(record.previousHash),
    hash: hashText(record.hash),
  };
}

export function showToken({
  id,
  name,
  hint,
  role,
  accountId,
  budgetId = "",
  ...token
}: AdminToken): Shown<typeof adminToken> {
  const times = { created_at: timeText(token.createdAtMs), expires: timeText(token.expiresAtMs) };
  const limits = { role: roleName(role) ?? null, account_id: accountId || null, budget_id: budgetId || null };
  return {
    id,
    object: "admin_token" as const,
    name,
    hint,
    ...limits,
    ...times,
    revoked_at: timeText(token.revokedAtMs),
  };
}
