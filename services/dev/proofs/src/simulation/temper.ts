/** The characteristics of a world, which differ between worlds. */
export interface Temper {
  /** Percentage of messages that are lost. */
  readonly lossPercent: number;
  /** Percentage of clock steps of up to 1.5 s, so that many minutes pass in some worlds. */
  readonly longPercent: number;
  /** Whether failures are rare, so that leases survive and a limit stays used up for minutes. */
  readonly calm: boolean;
  /** Percentage of batches during which metering dies. */
  readonly crashPercent: number;
  /** The account's limit of write-offs, nano-USD. */
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
