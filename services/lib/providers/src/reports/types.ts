/** Consecutive days (UTC), as `2026-11-24`. */
export interface DayRange {
  readonly first: string;
  /** Inclusive. */
  readonly last: string;
}

/** What a provider counted of one model on one day, by unit. */
export interface ReportedUsage {
  readonly model: string;
  readonly units: ReadonlyMap<string, bigint>;
}

/** One line of a provider's costs of a day. */
export interface ReportedCost {
  /** Undefined for a cost that the provider attributes to no model. */
  readonly model: string | undefined;
  /** In 10^-18 USD, so that sums are rounded once. */
  readonly attoUsd: bigint;
}

/** Rows by day. A day that the provider has not reported is absent, which is not the same as 0. */
export type ByDay<T> = ReadonlyMap<string, readonly T[]>;

/** What a provider publishes of its own usage and cost of our organization. */
export interface ProviderReports {
  /**
   * The name under which a unit of an operation is reported; undefined for a unit that the provider
   * does not publish. Several units of ours may be one of theirs.
   */
  unitReported(operation: string, unit: string): string | undefined;
  /** A model's name without the date of its snapshot: reports name the snapshot. */
  modelReported(model: string): string;
  /** @throws {ReportError} */
  usage(days: DayRange, signal: AbortSignal): Promise<ByDay<ReportedUsage>>;
  /** @throws {ReportError} */
  costs(days: DayRange, signal: AbortSignal): Promise<ByDay<ReportedCost>>;
}

/** A report could not be read; the message says what to do. */
export class ReportError extends Error {
  override readonly name = "ReportError";
}

export const attoUsdPerNano = 1_000_000_000n;
/** For `scaledDecimal`: decimals of an amount in 10^-18 USD. */
export const attoUsdScale = 18;
