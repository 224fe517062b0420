import { randomBytes } from "node:crypto";

/**
 * Gemini requires a thought's signature to be sent back with the resulting call. Many clients keep
 * only id, name and input of a tool call, so the signature travels inside the id, in base64url,
 * which the ids of every protocol allow.
 */
const mark = "_thoughtsig_";
const base64url = /^[A-Za-z0-9_-]+$/;

export function newCallId(): string {
  return `call_${randomBytes(12).toString("hex")}`;
}

/** @param signature in base64, or undefined */
export function signedCallId(id: string, signature: string | undefined): string {
  if (signature === undefined || signature === "") return id;
  return `${id}${mark}${Buffer.from(signature, "base64").toString("base64url")}`;
}

/** The upstream's id, and the signature inside (base64). */
export function openCallId(id: string): { id: string; signature: string | undefined } {
  const at = id.lastIndexOf(mark);
  const signature = at < 0 ? "" : id.slice(at + mark.length);
  if (!base64url.test(signature)) return { id, signature: undefined };
  return { id: id.slice(0, at), signature: Buffer.from(signature, "base64url").toString("base64") };
}

/** An id in the alphabet that Anthropic accepts; deterministic. */
export function plainCallId(id: string): string {
  const clean = id.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return clean === "" ? "call" : clean;
}
