import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";
const secretBytes = 32;

/**
 * Creates a signing secret in the format of receivers' libraries: `whsec_` and 32 random bytes in
 * base64.
 */
export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString("base64");
}

export interface Message {
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of one attempt (Standard Webhooks 1.0): one signature per valid secret. */
export function webhookHeaders(message: Message, secrets: readonly string[]): Record<string, string> {
  const { id, timestamp, body } = message;
  const signed = `${id}.${timestamp}.${body}`;
  return {
    "content-type": "application/json",
    "user-agent": "unified-ai-gateway",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((secret) => `v1,${hmac(secret, signed)}`).join(" "),
  };
}

function hmac(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  return createHmac("sha256", key).update(text, "utf8").digest("base64");
}
