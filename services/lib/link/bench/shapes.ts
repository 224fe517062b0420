import type { OpenFrame } from "../src/frames.ts";

/** Chunks per stream, and their interval in milliseconds. */
export const chunks = 100;
export const tickMs = 10;

export const jsonBody = Buffer.alloc(600, "a");
export const jsonResponse = Buffer.alloc(900, "b");
export const sseChunk = Buffer.alloc(220, "c");
/** Alternating names and values, by twos. */
export const pairs = (list: readonly string[]): [string, string][] =>
  list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] as string]] : []));
const listed = (headers: Readonly<Record<string, string>>): string[] => Object.entries(headers).flat();

export const responseHeaders = listed({
  "content-type": "application/json",
  "x-request-id": "req_01k",
  "openai-processing-ms": "12",
});

export const requestHeaders = listed({
  "content-type": "application/json",
  accept: "application/json",
  "user-agent": "OpenAI/JS 5.1.0",
  "x-stainless-lang": "js",
  "x-stainless-os": "Linux",
  "x-stainless-arch": "x64",
  "x-stainless-runtime": "node",
  "x-stainless-retry-count": "0",
  "content-length": "600",
  "accept-encoding": "gzip, deflate",
});

/** A plain gRPC method that passes bytes through unchanged. */
export const unaryMethod = { path: "/bench.Unary/Call", same: (bytes: Buffer): Buffer => bytes };
export const streamPath = "/bench.Unary/Stream";

export function openFrame(n: number): OpenFrame {
  return {
    operation: "chat.completions",
    requestId: `req_${n.toString(36).padStart(24, "0")}`,
    target: "/v1/chat/completions",
    headers: requestHeaders,
    context: Buffer.alloc(120, "k"),
    deadlineMs: 600_000,
    bodyless: false,
  };
}
