/**
 * Makes collisions between processes unlikely: each uses its own microsecond within a millisecond.
 */
const offset = BigInt(Math.floor(Math.random() * 1_000));

/** Numbers the rows of one transaction: see `Book.nextSeq`. */
export type NextSeq = (after: bigint) => bigint;

/**
 * Generates seqs for ledger rows: roughly the microseconds of the database's clock, each larger
 * than this process's last and than those of the rows it depends on, from any process.
 * @returns a function of the transaction's time, Unix milliseconds
 */
export function createSequence(): (nowMs: number) => NextSeq {
  let last = 0n;
  return (nowMs) => {
    const now = BigInt(nowMs) * 1_000n + offset;
    return (after) => {
      last = [after + 1n, last + 1n, now].reduce((largest, one) => (one > largest ? one : largest));
      return last;
    };
  };
}
