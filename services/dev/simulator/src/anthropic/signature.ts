import { hashOf } from "../content/hash.ts";

/** This simulator's signature for a thinking text; base64, like the real one. */
export function signatureOf(thinking: string): string {
  return Buffer.from(`simulator:${hashOf("thinking", thinking)}`).toString("base64");
}

/**
 * Whether a signature sent back by a client is one of this simulator's. Thinking text that was
 * omitted from the response comes back empty, with any signature in the simulator's format.
 */
export function isOurSignature(thinking: string, signature: string): boolean {
  if (thinking !== "") return signature === signatureOf(thinking);
  return /^simulator:[0-9a-f]{64}$/.test(Buffer.from(signature, "base64").toString());
}
