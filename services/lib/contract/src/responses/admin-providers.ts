import { z } from "zod";
import { count, time, usd } from "./admin-fields.ts";
import { priceTableNames } from "./admin-prices.ts";

/** Whether a provider serves requests. */
const providerStates = ["serving", "simulated", "disabled", "unserved", "draining"] as const;

/** A provider's credential, without its secret. */
export const providerCredential = z.object({
  object: z.literal("provider_credential"),
  id: z.string(),
  name: z.string(),
  hint: z.string().nullable().describe("Such as `sk-...abcd`; null if a variable has the key."),
  variable: z.string().nullable().describe("The variable of the services' environment that has the key."),
  enabled: z.boolean().describe("New requests use all enabled credentials."),
  weight: z.number().describe("Share of the calls among credentials of the same priority."),
  priority: z.int().describe("Credentials of the lowest number are used first."),
  account: z.string().nullable().describe("The account at the provider; null: one of its own."),
  daily_cap_usd: z.number().nullable().describe("The most that it may spend in a day (UTC); null: no cap."),
  monthly_cap_usd: z.number().nullable().describe("The most that it may spend in a month (UTC); null: no cap."),
  spent_today_usd: usd.describe(
    "What requests that began today (UTC) cost with it, by the ledger and what you pay the provider. USD, exact to the nano-dollar.",
  ),
  spent_this_month_usd: usd.describe("The same for this month (UTC)."),
  revision: count,
  created_at: time,
  created_by: z.string(),
});

/** What a credential that new requests may use is capable of. */
const credentialStates = ["available", "limited", "rejected", "exhausted"] as const;

const poolCredential = z.object({
  id: z.string().nullable().describe("Of a credential of this API; null for one of the catalogue's file."),
  name: z
    .string()
    .nullable()
    .describe("As in `x-gateway-credential`: its name, or such as `sk-...abcd`; null if no key is sent."),
  weight: z.number(),
  priority: z.int(),
  account: z.string().nullable(),
  state: z
    .enum(credentialStates)
    .describe(
      "`limited`: a rate limit is used up for now. `rejected`: the provider refuses the key; replace it. `exhausted`: its account has no credit. Requests use such a credential only if no other is available; a rejected or exhausted one is tried again by single requests.",
    ),
  rests_for_ms: z.number().min(0).describe("The longest remaining cooldown in a process, milliseconds."),
});

/** A provider of the catalogue, with what was changed of it in the running gateway. */
export const provider = z.object({
  object: z.literal("provider"),
  id: z.string().describe("The provider's name in the catalogue."),
  protocol: z.string(),
  source: z.enum(["file", "runtime"]).describe("The catalogue's file has it, or it was added over this API."),
  base_url: z.string().describe("As in the catalogue's file unless `base_url_changed`."),
  base_url_changed: z.boolean(),
  enabled: z.boolean(),
  state: z
    .enum(providerStates)
    .describe(
      "`simulated`: the simulator replaces it until it has a key. `unserved`: see `reason`. `draining`: it was deleted, and its video tasks are completed.",
    ),
  reason: z.string().nullable().describe("Why it is not served."),
  revision: count.describe("Number of changes in the running gateway."),
  models: z.array(z.string()).describe("The models that it serves."),
  credentials: z
    .array(providerCredential)
    .describe("Oldest first; without an enabled one those of the catalogue's file are used."),
  pool: z
    .array(poolCredential)
    .describe("The credentials that new requests use, as the running processes report them, the preferred one first."),
});

/** What a test of a provider does, in order. */
const providerTestSteps = ["settings", "dns", "connection", "tls", "models", "price", "call"] as const;

/** Why a step of a test failed or was skipped. */
const providerTestReasons = [
  "not_configured",
  "dns",
  "connection",
  "tls",
  "address_refused",
  "wrong_key",
  "model_not_found",
  "quota",
  "rate_limited",
  "timeout",
  "rejected",
  "provider_error",
  "busy",
  "no_list",
  "no_model",
  "earlier_step",
] as const;

const testStep = z.object({
  step: z
    .enum(providerTestSteps)
    .describe(
      "`settings`: the address and the key are known. `dns`, `connection`, `tls`: the way to the provider. `models`: it lists its own models. `price`: the catalogue has a model to call. `call`: that model responds.",
    ),
  state: z.enum(["passed", "failed", "skipped"]),
  reason: z.enum(providerTestReasons).nullable().describe("Null for a step that passed."),
  message: z.string().nullable().describe("The provider's message without secrets, or the gateway's."),
  status: z.int().nullable().describe("The provider's HTTP status."),
  code: z.string().nullable().describe("The provider's error code."),
  request_id: z.string().nullable().describe("The provider's id of the request, as its support asks for it."),
  duration_ms: z.int().nullable().describe("Of a step that sends a request."),
});

/** The outcome of a provider's test. */
export const providerTest = z.object({
  object: z.literal("provider_test"),
  provider: z.string(),
  credential_id: z
    .string()
    .nullable()
    .describe("The credential that was tested; null: the key of the catalogue's file."),
  passed: z.boolean().describe("No step failed."),
  simulated: z.boolean().describe("The simulator replaces the provider, so that the provider itself was not tested."),
  duration_ms: z.int(),
  steps: z.array(testStep),
  call: z
    .object({
      model: z.string(),
      upstream_model: z.string().describe("The provider's name for the model."),
      units: z.record(z.string(), z.int()).describe("Usage as the provider reported it."),
      cost_usd: usd,
      estimated: z.boolean().describe("The provider reported no usage with a price: the cost is its upper bound."),
      price_version: z.string(),
    })
    .nullable()
    .describe("What the test used at the provider: no account is charged for it. The audit log has it too."),
});

/** A model as its provider lists it. */
export const ownModel = z.object({
  object: z.literal("provider_model"),
  id: z.string().describe("The provider's name for the model."),
  display_name: z.string().nullable(),
  context_tokens: z.int().nullable().describe("Null where neither the provider nor a price table lists it."),
  max_output_tokens: z.int().nullable(),
  served_as: z.array(z.string()).describe("Models of the catalogue that this provider serves with it."),
  like: z.string().nullable().describe("A model of the catalogue of the same name: `like` of `POST /admin/v1/models`."),
  prices: z
    .array(
      z.object({
        table: z.enum(priceTableNames),
        price: z.record(z.string(), z.unknown()).describe("As `price` of `POST /admin/v1/models`."),
        link: z.string().nullable().describe("The vendor's page."),
      }),
    )
    .describe(
      "What the public price tables have for it, if it generates text. Compare it with the vendor's page: nothing without a price is served.",
    ),
});

const catalogChange = z.object({
  id: z.string(),
  source: z.enum(["file", "runtime"]).describe("The catalogue's file has it, or it was added over this API."),
  enabled: z.boolean(),
  revision: count,
  fields: z
    .record(z.string(), z.unknown())
    .describe("Fields of its row in the catalogue: those that were changed, or all of one that was added."),
});

/** What operators changed of the catalogue. */
export const catalogChanges = z.object({
  object: z.literal("catalog_changes"),
  version: count.describe("Number of changes so far."),
  providers: z.array(catalogChange).describe("Without credentials."),
  models: z.array(catalogChange).describe("With their latest prices."),
});

/** What a new provider may start from. */
export const providerTemplate = z.object({
  object: z.literal("provider_template"),
  id: z.string(),
  protocol: z.string(),
  base_url: z.string().describe("Empty where each deployment has its own."),
});
