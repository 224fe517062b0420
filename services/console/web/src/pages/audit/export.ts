import { call, type Query } from "../../api/http.ts";
import type { AuditRecord, Page } from "../../api/types.ts";

const rowsAtOnce = 1_000;
/** An export ends here: a browser holds it in memory. */
const maxRows = 10_000;

const columns = [
  "at",
  "action",
  "actor",
  "target",
  "account",
  "address",
  "request",
  "before",
  "after",
  "hash",
] as const;

/** A field by RFC 4180; a leading quote keeps spreadsheets from evaluating it as a formula. */
function csvField(value: unknown): string {
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const fieldsOf = (record: AuditRecord): Record<(typeof columns)[number], unknown> => ({
  at: record.at,
  action: record.action,
  actor: record.actor.name || record.actor.id,
  target: record.target_id,
  account: record.account_id,
  address: record.client_address,
  request: record.actor.request_id,
  before: record.before,
  after: record.after,
  hash: record.hash,
});

/** Rows as CSV, with a header. */
export function csvOf(records: readonly AuditRecord[]): string {
  const rows = records.map((record) => {
    const fields = fieldsOf(record);
    return columns.map((name) => csvField(fields[name])).join(",");
  });
  return [columns.join(","), ...rows, ""].join("\r\n");
}

/** The newest records that match, at most {@link maxRows}. @throws {ApiError} */
export async function fetchAll(query: Query): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for (let after = ""; records.length < maxRows; ) {
    const { data, next_cursor: next } = await call<Page<AuditRecord>>("/admin/v1/audit-log", {
      query: { ...query, limit: rowsAtOnce, after },
    });
    records.push(...data);
    if (next === null) break;
    after = next;
  }
  return records;
}
