/** What came with a prompt beside its text. */
export interface Seen {
  readonly images: number;
  readonly sounds: number;
  readonly videos: number;
  readonly files: number;
}

export interface Tool {
  readonly name: string;
  readonly schema: unknown;
}

/** One request for an answer, in terms that every chat protocol can be read into. */
export interface Turn {
  /** Hex digest of the request; decides everything that nothing else decides. */
  readonly digest: string;
  /** The provider's name in the truth log. */
  readonly provider: string;
  /** The id under which the model answers. */
  readonly model: string;
  /**
   * Text of the last user message, without what a client's program wrote into it; empty when the
   * conversation ends otherwise.
   */
  readonly userText: string;
  /** What the last user message has beside its text. */
  readonly seen: Seen;
  /** Whether there are instructions in front of the conversation. */
  readonly system: boolean;
  /** How many turns in a row the model has called tools, up to now. */
  readonly toolTurns: number;
  /** Texts of the tool results that end the conversation, if it ends so. */
  readonly toolResults: readonly string[];
  readonly tools: readonly Tool[];
  readonly toolChoice: "auto" | "none" | "required";
  readonly parallelTools: boolean;
  readonly format: { readonly kind: "text" } | { readonly kind: "json" } | { readonly kind: "schema"; schema: unknown };
  /** Tokens of reasoning before the answer; 0 for a model that does not reason. */
  readonly reasoningTokens: number;
  /** What `echo body` and `echo headers` answer. */
  readonly echo: { readonly body: unknown; readonly headers: unknown };
}
