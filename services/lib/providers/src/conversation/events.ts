/** One piece of a protocol's response; a non-streamed response yields the same events at once. */
export type ResponseEvent =
  | { readonly type: "start"; readonly id: string; readonly model: string | undefined }
  | TextEvent
  | { readonly type: "thinking"; readonly candidate: number; readonly text: string }
  /** Ends the preceding thinking. */
  | { readonly type: "signature"; readonly candidate: number; readonly signature: string }
  | { readonly type: "redacted"; readonly candidate: number; readonly data: string }
  | { readonly type: "refusal"; readonly candidate: number; readonly text: string }
  | CallEvent
  /** More of a call's input, as a JSON fragment. */
  | { readonly type: "input"; readonly candidate: number; readonly call: number; readonly json: string }
  | StopEvent
  /** Usage; a later event replaces an earlier one. */
  | { readonly type: "usage"; readonly tokens: Tokens }
  /** The upstream is alive but sent no content. */
  | { readonly type: "idle" }
  /** End of the response; always last. */
  | { readonly type: "end" };

export interface TextEvent {
  readonly type: "text";
  readonly candidate: number;
  readonly text: string;
  /** Of the text's tokens, as OpenAI reports them. */
  readonly logprobs?: readonly unknown[];
}

export interface CallEvent {
  readonly type: "call";
  readonly candidate: number;
  /** Counts up from 0 within the candidate. */
  readonly call: number;
  readonly id: string;
  readonly name: string;
  readonly signature: string | undefined;
}

export interface StopEvent {
  readonly type: "stop";
  readonly candidate: number;
  readonly reason: StopReason;
  readonly stopSequence: string | undefined;
}

export type StopReason = "stop" | "stop_sequence" | "length" | "tools" | "refusal" | "pause" | "context_full";

/**
 * The events for an end that has no equivalent here. It is never shown as a normal one, since an
 * agent would take what it has for a complete response.
 * @param details the provider's own words, if any
 */
export function unknownStop(candidate: number, reason: string, details?: string): ResponseEvent[] {
  const text = `The provider ended the response: ${reason.slice(0, 64)}.${details ? ` ${details}` : ""}`;
  return [
    { type: "refusal", candidate, text },
    { type: "stop", candidate, reason: "refusal", stopSequence: undefined },
  ];
}

/** A response's usage. No field contains another, except that `thinking` is part of `output`. */
export interface Tokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly thinking: number;
  /** Audio, as part of the input; undefined: not reported. */
  readonly audioInput?: number;
}

/** The text that events have sent to a reader, for an estimate. */
export function spokenText(event: ResponseEvent): string {
  switch (event.type) {
    case "text":
    case "thinking":
    case "refusal":
      return event.text;
    case "call":
      return event.name;
    case "input":
      return event.json;
    default:
      return "";
  }
}
