import type { mongo } from "mongoose";

interface Size {
  readonly name: string;
  /** Compressed size on disk, including free space that WiredTiger retains. */
  readonly rows: number;
  readonly indexes: number;
}

async function collectionSize(db: mongo.Db, name: string): Promise<Size> {
  const [stats] = await db
    .collection(name)
    .aggregate<{ storageStats: { storageSize: number; totalIndexSize: number } }>([
      { $collStats: { storageStats: {} } },
    ])
    .toArray();
  const { storageSize = 0, totalIndexSize = 0 } = stats?.storageStats ?? {};
  return { name, rows: Number(storageSize), indexes: Number(totalIndexSize) };
}

/**
 * Disk usage per request of each collection, in bytes, largest first; the small ones are summed
 * together.
 */
export async function bytesARequest(dbs: readonly mongo.Db[], requests: number): Promise<string> {
  // Sizes on disk are only accurate after a checkpoint.
  await dbs[0]?.admin().command({ fsync: 1 });
  const sizes: Size[] = [];
  for (const db of dbs) {
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
      sizes.push(await collectionSize(db, name));
  }
  const each = (bytes: number): number => Math.round(bytes / requests);
  const total = ({ rows, indexes }: Size): number => rows + indexes;
  const [large, small] = [true, false].map((wanted) => sizes.filter((one) => each(total(one)) > 0 === wanted));
  const lines = (large ?? [])
    .toSorted((a, b) => total(b) - total(a))
    .map((one) => `${one.name} ${each(one.rows)} + ${each(one.indexes)}`);
  const rest = each((small ?? []).reduce((sum, one) => sum + total(one), 0));
  const all = each(sizes.reduce((sum, one) => sum + total(one), 0));
  return `bytes a request, rows + indexes: ${lines.join(", ")}, others ${rest}; ${all} in all\n`;
}
