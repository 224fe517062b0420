import type { IncomingMessage } from "node:http";

export type BodyRead = { readonly kind: "read"; readonly bytes: Buffer } | { readonly kind: "too-large" | "gone" };

/** Reads a whole request body; `gone` when the client disconnected before its end. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<BodyRead> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= maxBytes) {
        parts.push(part);
      } else {
        request.pause();
        resolve({ kind: "too-large" });
      }
    });
    request.on("end", () => resolve({ kind: "read", bytes: Buffer.concat(parts) }));
    request.on("close", () => resolve({ kind: "gone" }));
  });
}
