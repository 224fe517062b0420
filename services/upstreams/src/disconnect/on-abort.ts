import type { Protocol, Provider } from "@uag/catalog/types.ts";
import { anthropicOnAbort } from "../anthropic/on-abort.ts";
import { geminiOnAbort } from "../gemini/on-abort.ts";
import { dashScopeOnAbort, openAiOnAbort, xaiOnAbort } from "../openai/on-abort.ts";

/**
 * What a provider does with a streamed generation whose connection is closed: it stops and bills what it has made, or goes on and bills
 * all of it. An answer in one piece is generated, and billed, to its end by every provider that says anything about it.
 */
export type OnAbort = "stops" | "continues";

/** A protocol without a row: nothing is known, so it is taken to go on. */
const rows: Partial<Record<Protocol, OnAbort>> = {
  openai: openAiOnAbort,
  anthropic: anthropicOnAbort,
  gemini: geminiOnAbort,
  dashscope: dashScopeOnAbort,
  xai: xaiOnAbort,
};

/** A provider's own row in the catalogue comes first: vendors that share a protocol do not share this. */
export function onAbortOf({ onAbort, protocol }: Provider): OnAbort {
  return onAbort ?? rows[protocol] ?? "continues";
}
