import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { LedgerMonthDocument } from "@uag/ledger/documents/ledger-months";
import { underLease } from "@uag/mongo/lease";
import type {
  ArchiveLedgerMonthRequest,
  ArchiveLedgerMonthResponse,
  ListLedgerMonthsResponse,
  VerifyLedgerMonthRequest,
  VerifyLedgerMonthResponse,
} from "@uag/proto/billing/v1/archive.ts";
import { noArchiveStore } from "@uag/runtime/archive/settings";
import { archiveMonth, archiverLease, closedMonths } from "../archive/archive.ts";
import { verifyMonth } from "../archive/verify.ts";
import type { Billing } from "../billing.ts";

async function closedMonth({ store, clock }: Billing, name: string): Promise<LedgerMonthDocument> {
  const month = (await closedMonths(store, await clock.moment())).find(({ _id }) => _id === name);
  if (month !== undefined) return month;
  throw new GatewayError("invalid_request", "The month must be a closed month of the ledger.", { param: "month" });
}

/** The closed months, oldest first. */
export async function listLedgerMonths({ store, clock }: Billing): Promise<ListLedgerMonthsResponse> {
  const months = await closedMonths(store, await clock.moment());
  return {
    months: months.map(({ _id, parts, archivedAt }) => ({
      month: _id,
      archived: archivedAt !== null,
      parts: parts.map((part) => ({
        key: part.key,
        rows: part.rows,
        bytes: part.bytes,
        sha256: part.sha256,
        archivedAtMs: BigInt(part.archivedAt.getTime()),
      })),
    })),
  };
}

/** Archives a closed month now; one that is archived already does not change. */
export async function archiveLedgerMonth(
  billing: Billing,
  request: ArchiveLedgerMonthRequest,
): Promise<ArchiveLedgerMonthResponse> {
  const { archive } = billing;
  if (archive.objects === undefined) throw new GatewayError("invalid_request", noArchiveStore);
  await closedMonth(billing, request.month);
  // Read again, as another process may have added parts before this one got the lease.
  const parts = await underLease(archiverLease(billing.store), async (keep) =>
    archiveMonth(archive, await closedMonth(billing, request.month), keep),
  );
  if (parts === undefined)
    throw new GatewayError("service_unavailable", "Another process is archiving. Retry shortly.");
  return { rows: parts.reduce((sum, { rows }) => sum + rows, 0n), keys: parts.map(({ key }) => key) };
}

/** Compares a month's files with what was archived and with the ledger. */
export async function verifyLedgerMonth(
  billing: Billing,
  request: VerifyLedgerMonthRequest,
): Promise<VerifyLedgerMonthResponse> {
  return await verifyMonth(billing.archive, await closedMonth(billing, request.month));
}
