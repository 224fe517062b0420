/**
 * Number of partitions that metering processes share; each account belongs to one. A power of two.
 */
export const usagePartitions = 64;

/**
 * The partition of an account's usage, 0 to 63: FNV-1a over its id,
 * http://www.isthe.com/chongo/tech/comp/fnv/
 */
export function partitionOf(accountId: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < accountId.length; at++) hash = Math.imul(hash ^ accountId.charCodeAt(at), 0x01000193);
  // The hash's lower bits depend on the last characters alone.
  return ((hash ^ (hash >>> 16)) >>> 0) % usagePartitions;
}

/** The subject used before partitioning; old replicas still publish to it. */
export const undividedSubject = (prefix: string): string => `${prefix}usage.v1.batch`;

/** The subject of batches with events of one partition's accounts. */
export const usageSubject = (prefix: string, partition: number): string => `${undividedSubject(prefix)}.${partition}`;
