import { openThinking } from "../../conversation/sealed-thinking.ts";
import type { AssistantPart } from "../../conversation/types.ts";

/**
 * Thinking of another provider's model as a `thoughtSignature`, in base64, which some clients
 * decode. It is marked, because Gemini accepts only its own.
 */
const mark = "gateway:";
const separator = ".";

/** @param sealed each by `sealThinking` */
export function foreignSignature(sealed: readonly string[]): string {
  return Buffer.from(mark + sealed.join(separator)).toString("base64");
}

/** The thinking in another provider's signature; undefined for one of Gemini's own. */
export function openSignature(signature: string): AssistantPart[] | undefined {
  const text = Buffer.from(signature, "base64").toString("utf8");
  return text.startsWith(mark) ? text.slice(mark.length).split(separator).flatMap(openThinking) : undefined;
}
