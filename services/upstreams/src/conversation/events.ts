/** What a protocol's answer says, piece by piece; a whole answer is the same pieces at once. */
export type ResponseEvent =
  | { readonly type: "start"; readonly id: string; readonly model: string | undefined }
  | { readonly type: "text"; readonly candidate: number; readonly text: string }
  | { readonly type: "thinking"; readonly candidate: number; readonly text: string }
  /** Ends the thinking before it. */
  | { readonly type: "signature"; readonly candidate: number; readonly signature: string }
  | { readonly type: "redacted"; readonly candidate: number; readonly data: string }
  | { readonly type: "refusal"; readonly candidate: number; readonly text: string }
  | CallEvent
  /** More of a call's input: a fragment of JSON. */
  | { readonly type: "input"; readonly candidate: number; readonly call: number; readonly json: string }
  | StopEvent
  /** What was counted; a later one takes the place of an earlier one. */
  | { readonly type: "usage"; readonly tokens: Tokens }
  /** The upstream is alive and has nothing to say. */
  | { readonly type: "idle" }
  /** Nothing more comes; always last. */
  | { readonly type: "end" };

export interface CallEvent {
  readonly type: "call";
  readonly candidate: number;
  /** Rising from 0 among the candidate's calls. */
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

/** An answer's count, no field containing another but `thinking`, which is a part of `output`. */
export interface Tokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly thinking: number;
  /** Sound, as a part of the input; undefined: not told. */
  readonly audioInput?: number;
}

/** What the events have said to a reader, for an estimate. */
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
