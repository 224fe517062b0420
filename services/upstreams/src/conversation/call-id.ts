import { randomBytes } from "node:crypto";

/**
 * Gemini wants the signature of a thought back with the call that came of it. Many clients keep of
 * a tool call no more than id, name and input, so the signature travels inside the id, in
 * base64url, which every protocol's ids may hold.
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

/** The id as the upstream gave it, and the signature inside (base64). */
export function openCallId(id: string): { id: string; signature: string | undefined } {
  const at = id.lastIndexOf(mark);
  const signature = at < 0 ? "" : id.slice(at + mark.length);
  if (!base64url.test(signature)) return { id, signature: undefined };
  return { id: id.slice(0, at), signature: Buffer.from(signature, "base64url").toString("base64") };
}

/** An id in the alphabet that Anthropic takes; the same id always becomes the same. */
export function plainCallId(id: string): string {
  const clean = id.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return clean === "" ? "call" : clean;
}
