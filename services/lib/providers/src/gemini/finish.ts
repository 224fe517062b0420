import { type ResponseEvent, type StopReason, unknownStop } from "../conversation/events.ts";

/** The model finished, or reached a limit. */
const ends: Readonly<Record<string, StopReason>> = { STOP: "stop", MAX_TOKENS: "length", CONTINUATION: "length" };

/** Google withheld the content, or what followed it. */
const withheld: ReadonlySet<string> = new Set([
  "SAFETY",
  "RECITATION",
  "LANGUAGE",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "MODEL_ARMOR",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
]);

/** What is known about the end of a candidate. */
export interface Finish {
  readonly candidate: number;
  /** Gemini's `finishReason`; undefined when it gave none. */
  readonly reason: string | undefined;
  /** Gemini's `finishMessage`. */
  readonly message: string | undefined;
  /** The candidate calls tools. */
  readonly called: boolean;
}

/**
 * The events for a candidate's end. A candidate that calls tools also ends with `STOP`. Google
 * charges for all others too, so they are responses: the received part is kept, and Google's message says why
 * it is not complete. That includes failed tool calls (`MALFORMED_FUNCTION_CALL`,
 * `UNEXPECTED_TOOL_CALL`, `TOO_MANY_TOOL_CALLS`), `MISSING_THOUGHT_SIGNATURE`,
 * `MALFORMED_RESPONSE`, `OTHER` and any reason that is new
 * (ai.google.dev/api/generate-content, "FinishReason").
 */
export function finishEvents({ candidate, reason, message, called }: Finish): ResponseEvent[] {
  const end = ends[reason ?? "STOP"];
  if (end !== undefined) {
    const stop = end === "stop" && called ? "tools" : end;
    return [{ type: "stop", candidate, reason: stop, stopSequence: undefined }];
  }
  if (withheld.has(reason ?? "") && message === undefined) {
    return [{ type: "stop", candidate, reason: "refusal", stopSequence: undefined }];
  }
  return unknownStop(candidate, reason ?? "", message);
}
