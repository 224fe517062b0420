export type Kind = "whole" | "incremental";

/** The outcome of one run. */
export interface Verdict {
  readonly _id: Kind;
  /** When it began: every earlier row had been written by then. */
  readonly moment: Date;
  readonly tookMs: number;
  readonly exact: boolean;
  readonly accounts: number;
  /** Rows that were read. */
  readonly rows: number;
  /** One sentence each. */
  readonly faults: readonly string[];
  /** Anomalies that are not faults of the books: unusable checkpoints. */
  readonly notices: readonly string[];
}
