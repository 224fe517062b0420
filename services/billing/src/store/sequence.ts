/** Processes seldom meet at the same number: each has its own place in a millisecond. */
const offset = BigInt(Math.floor(Math.random() * 1_000));

/**
 * Numbers for ledger rows: about the microseconds of this process's clock, each larger than the
 * last, and larger than those of the rows that it rests on, whatever clock gave them.
 */
export function createSequence(): (after: bigint) => bigint {
  let last = 0n;
  return (after) => {
    const now = BigInt(Date.now()) * 1_000n + offset;
    last = [after + 1n, last + 1n, now].reduce((largest, one) => (one > largest ? one : largest));
    return last;
  };
}
