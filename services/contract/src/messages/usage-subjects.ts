/**
 * Usage travels in so many parts that metering processes share; each account's in one of them. A
 * power of two.
 */
export const usagePartitions = 64;

/**
 * Which partition an account's usage belongs to, 0 to 63: FNV-1a over its id,
 * http://www.isthe.com/chongo/tech/comp/fnv/
 */
export function partitionOf(accountId: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < accountId.length; at++) hash = Math.imul(hash ^ accountId.charCodeAt(at), 0x01000193);
  // Its lower bits depend on the last characters alone.
  return ((hash ^ (hash >>> 16)) >>> 0) % usagePartitions;
}

/** Usage of before there were partitions; replicas of before publish it still. */
export const undividedSubject = (prefix: string): string => `${prefix}usage.v1.batch`;

/** The subject of batches that hold events of one partition's accounts. */
export const usageSubject = (prefix: string, partition: number): string => `${undividedSubject(prefix)}.${partition}`;
