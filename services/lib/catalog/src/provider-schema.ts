import {
  apiVersion,
  circuitFigures,
  concurrencyFigures,
  credentialCaps,
  credentialShare,
  unsupportedFields,
} from "@uag/contract/requests/admin-providers";
import { z } from "zod";
import { openAiOptionNames, protocolNames } from "./protocols.ts";

const seconds = { ms: 0.001, s: 1, m: 60, h: 3600 } as const;

/** `500ms`, `5s`, `10m`, `1h` -> milliseconds */
const durationSchema = z
  .string()
  .regex(/^\d+(ms|s|m|h)$/, "must be a whole number and a unit: ms, s, m or h, such as 30s")
  .transform((text) => {
    const unit = text.replace(/^\d+/, "") as keyof typeof seconds;
    return Math.round(Number.parseInt(text, 10) * seconds[unit] * 1000);
  });

const timeoutsSchema = z.strictObject({
  connect: durationSchema.default(5_000),
  first_byte: durationSchema.default(600_000),
  between_chunks: durationSchema.default(120_000),
  total: durationSchema.default(1_800_000),
});

const fileName = z.string().default("").describe("A PEM file; may refer to the environment.");

const tlsSchema = z.strictObject({
  ca_file: fileName.describe("CAs that the provider's certificate is verified against, in place of the default ones."),
  cert_file: fileName.describe("Client certificate, for a provider that requires one."),
  key_file: fileName.describe("Its private key."),
});

const connectionsSchema = z.strictObject({
  max: z
    .int()
    .positive()
    .default(4_096)
    .describe("Maximum concurrent calls in one process, each on its own connection."),
  queue: z.int().min(0).default(1_024).describe("Maximum calls that wait for a connection; more are refused at once."),
});

/** Counted in ten parts. */
const windowSchema = durationSchema.refine((ms) => ms >= 100 && ms <= 3_600_000, "must be between 100ms and 1h");

const circuitSchema = z.strictObject({
  failure_share: circuitFigures.failure_share.default(0.5),
  min_calls: circuitFigures.min_calls.default(20),
  window: windowSchema.default(30_000).describe("Calls are counted over this time."),
  open: durationSchema.default(10_000).describe("How long it stays open at first; twice as long each time."),
  max_open: durationSchema.default(60_000).describe("The longest that it stays open."),
  probes: circuitFigures.probes.default(3),
});

const concurrencySchema = z
  .strictObject({ min: concurrencyFigures.min.default(4), max: concurrencyFigures.max.default(1_000) })
  .refine(({ min, max }) => min <= max, "min must not be above max");

const secretText =
  "A reference to the environment, never the secret itself: an API key, or a JSON document with the `type` of a credential of the cloud's own kind (entra, managed_identity, service_account, external_account, google_metadata, aws or aws_role).";

const credentialSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "must have 1 to 64 letters, digits, and . _ -")
    .describe("Unique among the provider's; shown in headers, receipts and metrics."),
  api_key: z.string().min(1).describe(secretText),
  weight: credentialShare.weight.default(1),
  priority: credentialShare.priority.default(0),
  account: credentialShare.account.default(""),
  daily_cap_usd: credentialCaps.daily_cap_usd.optional(),
  monthly_cap_usd: credentialCaps.monthly_cap_usd.optional(),
});

/** Maximum credentials of one provider, in the file or added in the running gateway. */
export const maxCredentials = 16;

/** A provider: its address, key and bounds. */
export const providerSchema = z.strictObject({
  protocol: z.enum(protocolNames).describe("Wire protocol."),
  base_url: z.string().min(1).describe("May refer to the environment, with or without a default."),
  api_key: z.string().optional().describe(secretText),
  api_version: apiVersion
    .optional()
    .describe(
      "Azure OpenAI's `api-version`: calls go to `/deployments/{model}/...`, and base_url ends in `/openai`. Default: the v1 API, where base_url ends in `/openai/v1`.",
    ),
  credentials: z
    .array(credentialSchema)
    .min(1)
    .max(maxCredentials)
    .optional()
    .describe("In place of `api_key`: several keys, which share the calls. One whose variable is not set is left out."),
  simulator: z
    .string()
    .regex(/^(\/[\w.-]+)+$/, "must be a path, such as /openai/v1")
    .optional()
    .describe(
      "Path of its base URL at the simulator, which replaces it on a single machine while neither key nor address is set.",
    ),
  headers: z.record(z.string(), z.string()).default({}).describe("Sent with every call; an empty value is left out."),
  timeouts: timeoutsSchema.prefault({}),
  proxy: z
    .string()
    .default("")
    .describe(
      "URL of the proxy for calls to this provider, or `none`; may refer to the environment. Default: that of HTTPS_PROXY, HTTP_PROXY and NO_PROXY.",
    ),
  tls: tlsSchema.prefault({}).describe("Files are reloaded when they change."),
  connections: connectionsSchema.prefault({}),
  circuit: circuitSchema.prefault({}).describe("When the circuit breaker of each of its models opens."),
  adaptive_concurrency: concurrencySchema
    .optional()
    .describe(
      "Limits the concurrent calls to each of its models in each process: rate limits and timeouts lower the limit, successes raise it. Calls above it go to other upstreams, if one is available. Default: no limit.",
    ),
  on_abort: z
    .enum(["stops", "continues"])
    .optional()
    .describe(
      "Whether it stops or continues (and bills) a stream whose connection is closed; default: as its protocol's owner.",
    ),
  caches_from_tokens: z
    .int()
    .nonnegative()
    .optional()
    .describe(
      "Shortest prompt that it reads from a cache, for the bill of a stream whose client disconnects; default: as its protocol's owner.",
    ),
  developer_role: z
    .boolean()
    .optional()
    .describe(
      "Supports messages with role developer; otherwise they are sent as system. Default: true, false for dashscope.",
    ),
  openai_options: z
    .array(z.enum(openAiOptionNames))
    .optional()
    .describe(
      "OpenAI's own options that the provider supports for clients of other formats. Default: all for openai, none for others.",
    ),
  responses_api: z
    .boolean()
    .default(false)
    .describe(
      "Has OpenAI's Responses API: requests to `POST /v1/responses` are passed to it. Default: they are translated to its protocol.",
    ),
  unsupported_fields: unsupportedFields
    .default([])
    .describe(
      "Fields of chat requests that the provider rejects, such as stream_options: they are left out, and max_tokens is sent in place of max_completion_tokens.",
    ),
  free_fields: z
    .array(z.string().regex(/^\w+(\.\w+)?$/, "must be a field's name, such as output_config.effort"))
    .max(100)
    .default([])
    .describe(
      "Request fields that the gateway does not know and that cannot raise a request's cost at this provider, such as turbo or output_config.turbo. Other unknown fields are held for as the worst case.",
    ),
});
