import { fieldsOf, parsedJson, textOf } from "./fields.ts";
import type { AssistantPart } from "./types.ts";

/**
 * Thinking as one text that clients send back unread: what its provider needs to continue. It is
 * the provider's signature or cipher, packed, not a secret of ours.
 */
export type SealedThinking = { readonly thinking: string; readonly signature: string } | { readonly redacted: string };

export function sealThinking(thinking: SealedThinking): string {
  return Buffer.from(JSON.stringify(thinking)).toString("base64url");
}

/** Empty for text not created by {@link sealThinking}: it cannot be read here. */
export function openThinking(sealed: unknown): AssistantPart[] {
  if (typeof sealed !== "string") return [];
  const opened = fieldsOf(parsedJson(Buffer.from(sealed, "base64url").toString("utf8")));
  const redacted = textOf(opened["redacted"]);
  if (redacted !== undefined) return [{ type: "redacted", data: redacted }];
  const text = textOf(opened["thinking"]);
  return text === undefined ? [] : [{ type: "thinking", text, signature: textOf(opened["signature"]) ?? "" }];
}
