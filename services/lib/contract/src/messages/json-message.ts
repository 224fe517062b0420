import type { z } from "zod";

/** A kind of NATS message with a JSON payload: one schema for publishers and subscribers. */
export interface JsonMessage<T> {
  encode(message: T): string;
  /** Undefined for a payload that does not match the schema. */
  decode(data: Uint8Array): T | undefined;
}

/** Defines a kind of message by its payload's schema. Unknown fields are dropped on decoding. */
export function jsonMessage<T>(schema: z.ZodType<T>): JsonMessage<T> {
  return {
    encode: (message) => JSON.stringify(message),
    decode: (data) => schema.safeParse(parsed(data)).data,
  };
}

function parsed(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString());
  } catch {
    // Not JSON, so not a message: no schema accepts undefined.
    return undefined;
  }
}
