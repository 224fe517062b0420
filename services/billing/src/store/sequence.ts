/**
 * Makes collisions between processes unlikely: each uses its own microsecond within a millisecond.
 */
const offset = BigInt(Math.floor(Math.random() * 1_000));

/**
 * Generates seqs for ledger rows: roughly the microseconds of this process's clock, each larger
 * than the last and larger than those of the rows it depends on, whichever clock produced them.
 */
export function createSequence(): (after: bigint) => bigint {
  let last = 0n;
  return (after) => {
    const now = BigInt(Date.now()) * 1_000n + offset;
    last = [after + 1n, last + 1n, now].reduce((largest, one) => (one > largest ? one : largest));
    return last;
  };
}
