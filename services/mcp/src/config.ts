import { mountBodyLimits } from "@uag/contract/routes.ts";
import { commaList, commonSettings, lingerSetting } from "@uag/kit/config.ts";
import { bufferSettings } from "@uag/kit/memory-limit.ts";
import { z } from "zod";

const { HOST, ADMIN_PORT, LOG_LEVEL } = commonSettings;
const count = z.coerce.number().int().positive();

/**
 * The tool server's settings. It speaks HTTP only: the router stands in front of it, and it calls
 * the public API.
 */
export const schema = z.object({
  HOST,
  ADMIN_PORT,
  LOG_LEVEL,
  PORT: z.coerce.number().int().min(0).max(65535).default(0).describe("Port of /mcp; 0 picks a free one."),
  GATEWAY_URL: z.url({ protocol: /^https?$/ }).describe("The public API, as this process reaches it: a router."),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Where clients reach the public server; GATEWAY_URL when unset. `Host` and `Origin` may name its host."),
  ALLOWED_HOSTS: commaList
    .default([])
    .describe("Further host names that `Host` and `Origin` may name, comma-separated; `*` allows all."),
  EGRESS_ALLOW: commaList
    .default([])
    .describe(
      "Addresses exempt from the guard of calls to URLs in arguments and answers, as `host:port`, comma-separated.",
    ),
  MAX_OPEN: count.default(512).describe("Most requests open at once; more get a 503."),
  MAX_OPEN_PER_KEY: count.default(32).describe("Most requests of one key open at once; more get a 429."),
  BODY_LIMIT: count.default(mountBodyLimits["/mcp"]).describe("Largest request body, bytes."),
  ...bufferSettings,
  BUFFER_KEY_BYTES: count
    .optional()
    .describe("What the requests of one key may hold of it; unset: a quarter, and 96 MiB or more."),
  CALL_TIMEOUT_MS: count.default(900_000).describe("Longest that one call of the public API may take."),
  ...lingerSetting,
  DRAIN_MS: count.default(20_000).describe("How long stopping waits for requests under way."),
});
