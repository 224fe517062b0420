import { auditBooks } from "@uag/ledger/books/audit-books";
import { auditChain } from "@uag/ledger/books/audit-chain";
import type { AuditResponse } from "@uag/proto/billing/v1/ledger.ts";
import type { Billing } from "../billing.ts";

/**
 * Re-adds every account's ledger from its first row, compares it with balances and grants, and
 * verifies the audit log. Give it a long deadline; large ledgers are for the auditor, which is a
 * separate process.
 */
export async function audit({ store, events }: Billing): Promise<AuditResponse> {
  const started = performance.now();
  const { overdrafts: _, ...found } = await auditBooks({ store });
  const violations = [...found.violations];
  await auditChain(store, (sentence) => violations.push(sentence));
  events.audited({ ...found, violations, tookMs: Math.round(performance.now() - started) });
  return { ...found, violations };
}
