import type { z } from "zod";

/**
 * A kind of message on NATS whose payload is JSON: one schema for whoever sends it and whoever
 * hears it.
 */
export interface JsonMessage<T> {
  encode(message: T): string;
  /** Undefined for a payload that is no such message. */
  decode(data: Uint8Array): T | undefined;
}

/**
 * A kind of message by the schema of its payload. Fields that the schema does not have are dropped
 * when it is read.
 */
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
    // Text that is no JSON is no message: no schema takes what is undefined.
    return undefined;
  }
}
