/** What a world is like: worlds differ. */
export interface Temper {
  /** Of a hundred messages so many are lost. */
  readonly lossPercent: number;
  /**
   * Of a hundred passings of time so many are of up to a second and a half, so that in some worlds
   * many a minute goes by.
   */
  readonly longPercent: number;
  /** Trouble is rare, so that leases live on, and a limit is used to its end for minutes. */
  readonly calm: boolean;
  /** Of a hundred batches so many find metering dead in their middle. */
  readonly crashPercent: number;
  /** Of what may be written off for the account, nano-USD. */
  readonly writeOffLimit: bigint;
}

const losses = [0, 3, 10, 25];
const longPasses = [9, 60];
const writeOffLimits = [0n, 150n, 1_000_000n];

export function temperOf(random: (below: number) => number): Temper {
  const one = <A>(among: readonly A[]): A => among[random(among.length)] as A;
  return {
    lossPercent: one(losses),
    longPercent: one(longPasses),
    calm: random(2) === 0,
    crashPercent: 4,
    writeOffLimit: one(writeOffLimits),
  };
}
