/** The events of a streamed response, in encrypted pieces, without its last: that follows from the stored response. */
export interface EventLog {
  /** Where its pieces are; empty: there are none so far. */
  readonly place: string;
  readonly pieces: number;
  /** Events so far, those that open the stream included. */
  readonly events: number;
  /** Length of its pieces. */
  readonly bytes: number;
}
