import { z } from "zod";
import { modelId, name } from "./admin-fields.ts";

const baseUrl = z
  .string()
  .min(1, "The base URL must not be empty; null means that of the catalogue's file.")
  .max(2_000, "The base URL is too long.");
const revision = z.int().min(0);

/** Azure OpenAI's `api-version`, here and in the catalogue's file. */
export const apiVersion = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/, "must be a date, such as 2024-10-21, with or without -preview");

/** Without these a request has no meaning, or its cost no bound. */
const neededFields: ReadonlySet<string> = new Set(["max_tokens", "messages", "model", "stream"]);

/** Fields that a provider rejects, here and in the catalogue's file. */
export const unsupportedFields = z
  .array(
    z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,63}$/, "must be a field's name, such as stream_options")
      .refine((field) => !neededFields.has(field), "cannot be left out of a request"),
  )
  .max(50);

/** When an upstream's circuit breaker opens, here and in the catalogue's file. */
export const circuitFigures = {
  failure_share: z
    .number()
    .positive()
    .max(1)
    .describe("It opens when at least this share of the calls in the window failed. Default: 0.5."),
  min_calls: z.int().min(1).max(100_000).describe("Fewer calls in the window do not open it. Default: 20."),
  probes: z
    .int()
    .min(1)
    .max(100)
    .describe("Concurrent calls while it is half open; it closes when so many succeed. Default: 3."),
} as const;

/** When an upstream is sent fewer calls at once, here and in the catalogue's file. */
export const concurrencyFigures = {
  min: z.int().min(1).max(100_000).describe("The limit does not fall below this. Default: 4."),
  max: z.int().min(1).max(100_000).describe("The limit does not rise above this. Default: 1,000."),
} as const;

const duration = z
  .string()
  .regex(/^\d{1,9}(ms|s|m|h)$/, "must be a whole number and a unit: ms, s, m or h, such as 30s");

const circuit = z
  .strictObject({
    ...circuitFigures,
    window: duration.describe("Calls are counted over this time. Default: 30s."),
    open: duration.describe("How long it stays open at first; twice as long each time. Default: 10s."),
    max_open: duration.describe("The longest that it stays open. Default: 60s."),
  })
  .partial();
const concurrency = z.strictObject(concurrencyFigures).partial();

/** What else can be set of a provider; null: as in the catalogue's file, or the default. */
const settings = {
  developer_role: z
    .boolean()
    .nullish()
    .describe("Supports messages with role developer; otherwise they are sent as system."),
  openai_options: z
    .array(z.string().max(100))
    .max(20)
    .nullish()
    .describe("OpenAI's own options that the provider supports for clients of other formats."),
  on_abort: z
    .enum(["stops", "continues"])
    .nullish()
    .describe("Whether it stops or continues (and bills) a stream whose connection is closed."),
  api_version: apiVersion
    .nullish()
    .describe("Azure OpenAI's `api-version`, by which deployments are called by their path. Default: the v1 API."),
  caches_from_tokens: z
    .int()
    .min(0)
    .nullish()
    .describe("Shortest prompt that it reads from a cache, for the bill of a stream whose client disconnects."),
  circuit: circuit
    .nullish()
    .describe("When the circuit breaker of each of its models opens. Fields that are left out have their defaults."),
  adaptive_concurrency: concurrency
    .nullish()
    .describe(
      "Limits the concurrent calls to each of its models in each process by additive increase and multiplicative decrease: rate limits and timeouts lower the limit. Calls above it go to other upstreams, if one is available. Default: no limit.",
    ),
  unsupported_fields: unsupportedFields
    .nullish()
    .describe(
      "Fields of `POST /v1/chat/completions` that the provider rejects, such as `stream_options`. They are left out of requests to it; in place of `max_completion_tokens` it gets `max_tokens`.",
    ),
  free_fields: z
    .array(z.string().max(200))
    .max(100)
    .nullish()
    .describe("Unknown request fields that cannot raise a request's cost at this provider."),
} as const;

const apiKey = z
  .string()
  .min(1, "The API key must not be empty.")
  .max(8_192, "The API key is too long.")
  .optional()
  .describe(
    'The provider\'s API key, or the JSON document of a credential of the cloud\'s own kind: {"type": "entra", "tenant_id", "client_id", "client_secret"} for Azure, the JSON key of a Google service account for Vertex AI, or {"type": "aws", "access_key_id", "secret_access_key", "region", "session_token", "role_arn", "external_id"} for Amazon Bedrock, where only temporary keys have a session token, and the role is assumed if there is one. It is stored encrypted and never shown again.',
  );
const variable = name
  .optional()
  .describe(
    'In place of `api_key`: the variable of the services\' environment that has it, such as PROVIDER_SECRET_ACME, or with _FILE a file. Only a variable can have the identity of the workload itself: {"type": "aws_role"} for its role at AWS, {"type": "managed_identity"} at Azure, {"type": "google_metadata"} on Google Cloud, or the {"type": "external_account"} configuration of workload identity federation for Vertex AI.',
  );

/** Body of `POST /admin/v1/providers`. */
export const createProviderRequest = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, "A provider's id has 1 to 64 of a-z, 0-9 and -")
    .describe("Its name in the catalogue."),
  template: name
    .optional()
    .describe("What the request does not set is as in this template: see `GET /admin/v1/provider-templates`."),
  protocol: name
    .optional()
    .describe("The wire protocol, such as `openai` or `anthropic`. Required without a template."),
  base_url: baseUrl
    .optional()
    .describe("Where it is called, https and public unless EGRESS_ALLOW lists it. Required without a template."),
  api_key: apiKey,
  variable,
  enabled: z.boolean().optional().describe("Default: true."),
  ...settings,
});

/** Body of `PATCH /admin/v1/providers/{id}`. */
export const updateProviderRequest = z.strictObject({
  revision: revision.describe(
    "The revision that you read; the request is refused with 409 if the provider was changed since.",
  ),
  base_url: baseUrl
    .nullable()
    .optional()
    .describe(
      "Where the provider is called, https and public unless EGRESS_ALLOW lists it; null: as in the catalogue's file.",
    ),
  enabled: z
    .boolean()
    .optional()
    .describe("A disabled provider gets no new requests; those in progress and video tasks are completed."),
  ...settings,
});

const cap = z
  .number()
  .positive("must be above zero")
  .max(1_000_000)
  .refine((usd) => Number(usd.toFixed(9)) === usd, "must have at most nine decimals");

/** How a credential shares the calls to its provider, here and in the catalogue's file. */
export const credentialShare = {
  weight: z
    .number()
    .positive("must be above zero")
    .max(1_000_000)
    .describe("Share of the calls among the provider's credentials of the same priority. Default: 1."),
  priority: z
    .int()
    .min(0)
    .max(1_000)
    .describe("Credentials of the lowest number are used while one of them is available. Default: 0."),
  account: z
    .string()
    .max(64)
    .describe(
      "The account at the provider that it belongs to; credentials of one account share its rate limits and credit. Default: an account of its own.",
    ),
} as const;

/** What a credential may spend, here and in the catalogue's file. */
export const credentialCaps = {
  daily_cap_usd: cap.describe(
    "The most that requests which begin on one day (UTC) may cost with it, at what you pay the provider: the upstream's `cost`, else the model's price. Default: no cap.",
  ),
  monthly_cap_usd: cap.describe("The same for one month (UTC). Default: no cap."),
} as const;

const caps = {
  daily_cap_usd: credentialCaps.daily_cap_usd.nullish(),
  monthly_cap_usd: credentialCaps.monthly_cap_usd.nullish(),
};
const share = { ...z.object(credentialShare).partial().shape, ...caps };

/** Body of `POST /admin/v1/providers/{id}/credentials`. */
export const createCredentialRequest = z.strictObject({
  api_key: apiKey,
  variable,
  name: name.optional().describe("A name for people."),
  enabled: z
    .boolean()
    .optional()
    .describe("Whether new requests use it, beside the other enabled ones; default: true."),
  ...share,
  base_url: baseUrl.optional().describe("Also becomes the provider's base URL, in the same change."),
  revision: revision.optional().describe("The provider's, as you read it; required with `base_url`."),
});

/** Body of `POST /admin/v1/providers/{id}/test`. */
export const testProviderRequest = z.strictObject({
  credential_id: name
    .min(1)
    .optional()
    .describe("The credential to test, enabled or not. Default: the one that new requests use."),
  model: modelId
    .optional()
    .describe("A model of the catalogue that the provider serves. Default: the one whose call costs least."),
});

/** Query of `GET /admin/v1/providers/{id}/models`. */
export const ownModelsQuery = z.strictObject({
  credential_id: name.min(1).optional().describe("The credential to list them with. Default: the one in use."),
});

/** Body of `PATCH /admin/v1/providers/{id}/credentials/{credential}`. */
export const updateCredentialRequest = z.strictObject({
  revision: revision.describe(
    "The revision that you read; the request is refused with 409 if the credential was changed since.",
  ),
  enabled: z
    .boolean()
    .optional()
    .describe("A disabled credential is used only for video tasks that were created with it."),
  ...share,
});
