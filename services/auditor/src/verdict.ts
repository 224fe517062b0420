export type Kind = "whole" | "incremental";

/** What one run came to. */
export interface Verdict {
  readonly _id: Kind;
  /** When it began: every row of before was written by then. */
  readonly moment: Date;
  readonly tookMs: number;
  readonly exact: boolean;
  readonly accounts: number;
  /** Rows that were read. */
  readonly rows: number;
  /** A sentence each. */
  readonly faults: readonly string[];
  /** What was not as it should be and is no fault of the books: checkpoints that were none. */
  readonly notices: readonly string[];
}
