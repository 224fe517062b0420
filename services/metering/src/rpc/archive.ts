import { GatewayError } from "@uag/contract/errors/gateway-error";
import { underLease } from "@uag/mongo/lease";
import type {
  ArchiveMonthRequest,
  ArchiveMonthResponse,
  ListMonthsResponse,
  Month,
  VerifyMonthRequest,
  VerifyMonthResponse,
} from "@uag/proto/metering/v1/admin.ts";
import { noArchiveStore } from "@uag/runtime/archive/settings";
import type { Partition } from "@uag/usage/documents/months";
import * as months from "../archive/archive.ts";

const monthShape = /^\d{4}-\d{2}$/;

function checked(month: string): string {
  if (monthShape.test(month)) return month;
  throw new GatewayError("invalid_request", "A month must have the form 2026-11.", { param: "month" });
}

async function partitionSize({ rows }: Partition): Promise<{ rows: bigint; bytes: bigint }> {
  const [stats] = await rows
    .aggregate<{ count: number; bytes: number }>([
      { $collStats: { storageStats: {} } },
      {
        $project: {
          count: "$storageStats.count",
          bytes: { $add: ["$storageStats.storageSize", "$storageStats.totalIndexSize"] },
        },
      },
    ])
    .toArray();
  return { rows: BigInt(stats?.count ?? 0), bytes: BigInt(stats?.bytes ?? 0) };
}

/** All months, oldest first: the rows still in the database, and the archived parts. */
export async function listMonths(archive: months.Archive): Promise<ListMonthsResponse> {
  const { store } = archive;
  const nowMs = await archive.clock.moment();
  const found = new Map<string, Month>();
  const monthOf = (month: string): Month => {
    const known = found.get(month) ?? { month, rows: 0n, bytes: 0n, due: false, parts: [] };
    found.set(month, known);
    return known;
  };
  for (const { _id, parts } of await store.months.find().toArray()) {
    monthOf(_id).parts = parts.map(({ archivedAt, source: _, ...part }) => ({
      ...part,
      archivedAtMs: BigInt(archivedAt.getTime()),
    }));
  }
  for (const partition of await store.partitions.list()) {
    const month = monthOf(partition.month ?? "");
    const { rows, bytes } = await partitionSize(partition);
    month.rows += rows;
    month.bytes += bytes;
    month.due = partition.closed || (partition.month !== undefined && months.isDue(partition.month, archive, nowMs));
  }
  return { months: [...found.values()].sort((a, b) => a.month.localeCompare(b.month)) };
}

/** Archives a due month now; one that is archived already does not change. */
export async function archiveMonth(
  archive: months.Archive,
  request: ArchiveMonthRequest,
): Promise<ArchiveMonthResponse> {
  const month = checked(request.month);
  if (archive.objects === undefined) {
    throw new GatewayError("invalid_request", noArchiveStore);
  }
  if (!months.isDue(month, archive, await archive.clock.moment())) {
    const text = `The last ${archive.keepMonths} whole months stay in the database (USAGE_KEEP_MONTHS).`;
    throw new GatewayError("invalid_request", text, { param: "month" });
  }
  const part = await underLease(months.archiverLease(archive.store), async (keep) => ({
    done: await months.archiveMonth(archive, month, keep),
  }));
  if (part === undefined) throw new GatewayError("service_unavailable", "Another process is archiving. Retry shortly.");
  return { rows: part.done?.rows ?? 0n, key: part.done?.key ?? "" };
}

/** Reads a month's files back. */
export async function verifyMonth(archive: months.Archive, request: VerifyMonthRequest): Promise<VerifyMonthResponse> {
  return await months.verifyMonth(archive, checked(request.month));
}
