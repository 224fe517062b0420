import type { Fields } from "./fields.ts";

/**
 * A request for text as every protocol can say it: what a client format is read into, and what is
 * written for an upstream that speaks another protocol.
 */
export interface Conversation {
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  /** False: at most one tool call an answer. */
  readonly parallelTools: boolean;
  /** Tokens; undefined leaves it to the upstream. */
  readonly outputCap: number | undefined;
  readonly candidates: number;
  readonly stop: readonly string[];
  readonly sampling: Sampling;
  readonly thinking: Thinking | undefined;
  readonly format: ResponseFormat;
  /** The client's name for its end user. */
  readonly user: string | undefined;
}

export interface Sampling {
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly seed: number | undefined;
  readonly presencePenalty: number | undefined;
  readonly frequencyPenalty: number | undefined;
}

/** From least to most. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

export interface Thinking {
  readonly on: boolean;
  readonly effort: Effort | undefined;
  /** Tokens. */
  readonly budget: number | undefined;
  /** The client wants to see it. */
  readonly shown: boolean;
}

export type ResponseFormat =
  | { readonly kind: "text" }
  | { readonly kind: "json" }
  | { readonly kind: "schema"; readonly name: string; readonly schema: Fields };

export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  /** JSON schema of the input; undefined for none. */
  readonly schema: Fields | undefined;
  readonly cacheControl: unknown;
}

export type ToolChoice =
  | { readonly kind: "auto" | "none" | "required" }
  | { readonly kind: "tool"; readonly name: string };

export type Turn =
  | { readonly role: "system"; readonly parts: readonly TextPart[] }
  | { readonly role: "user"; readonly parts: readonly UserPart[] }
  | { readonly role: "assistant"; readonly parts: readonly AssistantPart[] };

export type UserPart = TextPart | MediaPart | ResultPart;
export type AssistantPart = TextPart | ThinkingPart | RedactedPart | CallPart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** A mark of Anthropic's prompt cache, as the client sent it. */
  readonly cacheControl?: unknown;
}

export type MediaKind = "image" | "document" | "audio" | "video";

export interface MediaPart {
  readonly type: "media";
  readonly kind: MediaKind;
  readonly source: MediaSource;
  /** File name or title. */
  readonly title: string | undefined;
  /** Where in the client's request it stands. */
  readonly param: string;
  readonly cacheControl?: unknown;
}

export type MediaSource =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "inline"; readonly mediaType: string; readonly base64: string };

export interface ThinkingPart {
  readonly type: "thinking";
  readonly text: string;
  /** Empty when the vendor gave none. */
  readonly signature: string;
}

export interface RedactedPart {
  readonly type: "redacted";
  readonly data: string;
}

export interface CallPart {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  readonly input: Fields;
  /** Gemini's thought signature of the call. */
  readonly signature: string | undefined;
}

export interface ResultPart {
  readonly type: "result";
  readonly callId: string;
  /** The name of the tool that was called. */
  readonly name: string;
  readonly parts: readonly (TextPart | MediaPart)[];
  readonly isError: boolean;
}
