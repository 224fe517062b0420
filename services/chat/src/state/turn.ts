/** What a request adds to a conversation that the gateway stores, once it has a response. */
export interface Turn {
  readonly accountId: string;
  /** The ids of the responses that it continues, oldest first. */
  readonly previousIds: readonly string[];
  /** The request's own items as JSON: a list. */
  readonly input: Buffer;
}
