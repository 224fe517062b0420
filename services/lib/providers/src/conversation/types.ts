import type { Fields } from "./fields.ts";

/**
 * A protocol-independent request for text: client formats are parsed into it, and it is encoded for
 * upstreams of other protocols.
 */
export interface Conversation {
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  /** False: at most one tool call per response. */
  readonly parallelTools: boolean;
  /** Tokens; undefined: the upstream's default. */
  readonly outputCap: number | undefined;
  readonly candidates: number;
  readonly stop: readonly string[];
  readonly sampling: Sampling;
  readonly thinking: Thinking | undefined;
  readonly format: ResponseFormat;
  /** The client's id of its end user. */
  readonly user: string | undefined;
  /** Options that only OpenAI's protocol has, by their names there. */
  readonly openAiOptions: Fields;
}

interface Sampling {
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
  /** Whether the client wants to see it. */
  readonly shown: boolean;
}

export type ResponseFormat =
  | { readonly kind: "text" }
  | { readonly kind: "json" }
  | {
      readonly kind: "schema";
      readonly name: string;
      readonly description: string | undefined;
      readonly schema: Fields;
      readonly strict: Strict;
    };

/**
 * Whether the model is held to a schema. OpenAI does so only for schemas of a certain form, and
 * refuses others; `where possible` leaves them unenforced.
 */
export type Strict = boolean | "where possible" | undefined;

export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  /** JSON schema of the input; undefined for none. */
  readonly schema: Fields | undefined;
  readonly strict: Strict;
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
  /** Anthropic's prompt cache marker, as sent by the client. */
  readonly cacheControl?: unknown;
}

export type MediaKind = "image" | "document" | "audio" | "video";

export interface MediaPart {
  readonly type: "media";
  readonly kind: MediaKind;
  readonly source: MediaSource;
  /** File name or title. */
  readonly title: string | undefined;
  /** How closely the model looks at an image, in OpenAI's words. */
  readonly detail?: string | undefined;
  /** Its path in the client's request. */
  readonly param: string;
  readonly cacheControl?: unknown;
}

export type MediaSource =
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "inline"; readonly mediaType: string; readonly base64: string };

export interface ThinkingPart {
  readonly type: "thinking";
  readonly text: string;
  /** Empty when the vendor provided none. */
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
  /** The name of the called tool. */
  readonly name: string;
  readonly parts: readonly (TextPart | MediaPart)[];
  readonly isError: boolean;
  readonly cacheControl?: unknown;
}
