/** Tokens of a request, none counted twice: the units that text is billed by. */
export interface Tokens {
  readonly input_tokens: bigint;
  readonly cached_input_tokens: bigint;
  readonly cache_write_5m_tokens: bigint;
  readonly cache_write_1h_tokens: bigint;
  readonly output_tokens: bigint;
}

/** A request as one of the two gateways billed it. */
export interface Entry {
  /** Shown for it. */
  readonly id: string;
  /** Every id by which the other gateway may know it. */
  readonly ids: readonly string[];
  /** The key's id here; undefined: its key was not imported. */
  readonly keyId: string | undefined;
  /** The model's id here; undefined: it is unknown here. */
  readonly model: string | undefined;
  readonly startedMs: number;
  readonly tokens: Tokens;
  readonly costNanoUsd: bigint;
  /** How many requests it sums. */
  readonly requests: bigint;
  /** What its gateway multiplied its price by, such as the ratio of the key's group. */
  readonly ratio: number;
  /** It was not billed for a reason of its own, such as a cache of responses. */
  readonly unbilled: string | undefined;
}

/** What an entry of a single request at its model's price has. */
export const oneRequest = { requests: 1n, ratio: 1, unbilled: undefined } as const;

/** What another gateway billed in a period. */
export interface SpendLog {
  readonly entries: readonly Entry[];
  /** What a request's amount is rounded to. */
  readonly roundingNanoUsd: bigint;
  /** Whether it says which tokens were read from a cache or written to one. */
  readonly countsCache: boolean;
}

export const inputOf = ({ tokens }: Entry): bigint =>
  tokens.input_tokens + tokens.cached_input_tokens + tokens.cache_write_5m_tokens + tokens.cache_write_1h_tokens;
