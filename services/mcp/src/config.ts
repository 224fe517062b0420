import { mountBodyLimits } from "@uag/contract/body-limits";
import { commaList, commonSettings, lingerSetting } from "@uag/runtime/config";
import { bufferSettings } from "@uag/untrusted/memory-limit";
import { z } from "zod";

const { HOST, ADMIN_PORT, LOG_LEVEL } = commonSettings;
const count = z.coerce.number().int().positive();

/**
 * The MCP server's settings. It uses HTTP only: the router is in front of it, and it calls the
 * public API.
 */
export const schema = z.object({
  HOST,
  ADMIN_PORT,
  LOG_LEVEL,
  PORT: z.coerce.number().int().min(0).max(65535).default(0).describe("Port of /mcp; 0 picks a free one."),
  GATEWAY_URL: z.url({ protocol: /^https?$/ }).describe("URL of the public API (a router)."),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Public base URL, whose host is allowed in `Host` and `Origin`; default: GATEWAY_URL."),
  ALLOWED_HOSTS: commaList
    .default([])
    .describe("Additional hosts allowed in `Host` and `Origin`, comma-separated; `*` allows all."),
  EGRESS_ALLOW: commaList
    .default([])
    .describe("Addresses exempt from the guard for URLs in responses, as `host:port`, comma-separated."),
  MAX_OPEN: count.default(512).describe("Maximum open requests; further ones get 503."),
  MAX_OPEN_PER_KEY: count.default(32).describe("Maximum open requests per key; further ones get 429."),
  BODY_LIMIT: count.default(mountBodyLimits["/mcp"]).describe("Maximum request body, bytes."),
  ...bufferSettings,
  BUFFER_KEY_BYTES: count
    .optional()
    .describe("Share of one key's requests, bytes; default: a quarter, but at least 96 MiB."),
  CALL_TIMEOUT_MS: count.default(900_000).describe("Maximum duration of a call to the public API."),
  ...lingerSetting,
  DRAIN_MS: count.default(20_000).describe("Time that requests in progress may continue after SIGTERM."),
});
