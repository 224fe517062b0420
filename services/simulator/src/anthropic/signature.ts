import { hashOf } from "../content/hash.ts";

/** The signature that this simulator gives a thinking text; base64, as the real one is. */
export function signatureOf(thinking: string): string {
  return Buffer.from(`simulator:${hashOf("thinking", thinking)}`).toString("base64");
}

/**
 * Whether a signature that a client sends back is one that this simulator gave. Thinking text that
 * was omitted from the answer comes back empty, under any signature of the simulator's form.
 */
export function isOurSignature(thinking: string, signature: string): boolean {
  if (thinking !== "") return signature === signatureOf(thinking);
  return /^simulator:[0-9a-f]{64}$/.test(Buffer.from(signature, "base64").toString());
}
