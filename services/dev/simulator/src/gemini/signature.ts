import { canonicalJson, hashOf } from "../content/hash.ts";

// Google documents these for calls that were not made by a Gemini model.
const placeholders = new Set(["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]);

/** The thought signature of a function call; base64, like the real one. */
export function signatureOf(name: string, args: unknown): string {
  return Buffer.from(`simulator:${hashOf("thought", name, canonicalJson(args ?? {}))}`).toString("base64");
}

/** Whether a signature belongs to the call that it was sent back with. */
export function isSignatureOf(signature: string, name: string, args: unknown): boolean {
  return placeholders.has(signature) || signature === signatureOf(name, args);
}
