import { z } from "zod";

const ping = z.object({ jsonrpc: z.literal("2.0"), id: z.union([z.string(), z.number()]), method: z.literal("ping") });

/** The first revision without `ping`, which the SDK therefore rejects as an unknown method. */
const firstWithoutPing = "2026-07-28";

/**
 * The response to a `ping` at a revision that no longer has one: clients such as FastMCP send it
 * at every revision. Undefined for any other message.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
 */
export function pingResponse(body: unknown, revision: string | undefined): object | undefined {
  if (revision === undefined || revision < firstWithoutPing) return undefined;
  const request = ping.safeParse(body);
  if (!request.success) return undefined;
  return { jsonrpc: "2.0", id: request.data.id, result: { resultType: "complete" } };
}
