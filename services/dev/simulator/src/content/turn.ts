/** The non-text content of a prompt. */
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

/** One request for a response, independent of the chat protocol. */
export interface Turn {
  /** Hex digest of the request; decides everything not decided otherwise. */
  readonly digest: string;
  /** The provider's name in the truth log. */
  readonly provider: string;
  /** The model id in the response. */
  readonly model: string;
  /**
   * Text of the last user message, without additions by a client program; empty when the
   * conversation ends otherwise.
   */
  readonly userText: string;
  /** The non-text content of the last user message. */
  readonly seen: Seen;
  /** Whether the conversation begins with instructions. */
  readonly system: boolean;
  /** How many turns in a row the model has called tools so far. */
  readonly toolTurns: number;
  /** Texts of the tool results at the end of the conversation, if any. */
  readonly toolResults: readonly string[];
  readonly tools: readonly Tool[];
  readonly toolChoice: "auto" | "none" | "required";
  readonly parallelTools: boolean;
  readonly format: { readonly kind: "text" } | { readonly kind: "json" } | { readonly kind: "schema"; schema: unknown };
  /** Tokens of reasoning before the response; 0 for a model that does not reason. */
  readonly reasoningTokens: number;
  /** The responses to `echo body` and `echo headers`. */
  readonly echo: { readonly body: unknown; readonly headers: unknown };
}
