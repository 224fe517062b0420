import type { JsonSchema } from "./json-schema.ts";

interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

const text = { type: "string" } as const;
const count = { type: "integer", minimum: 0 } as const;
const header = (description: string, schema: JsonSchema = text): Header => ({ description, schema });

const everywhere = {
  "x-request-id": header("The gateway's request id."),
  "openai-processing-ms": header("Time to the response headers, milliseconds.", count),
};

const limits = {
  "ratelimit-policy": header(
    'The key\'s limits per minute, e.g. `"requests";q=60;qu="requests";w=60` (draft-ietf-httpapi-ratelimit-headers).',
  ),
  ratelimit: header('What remains of each limit, and seconds until all of it does, e.g. `"requests";r=59;t=1`.'),
  ...Object.fromEntries(
    ["requests", "tokens"].flatMap((name) => [
      [
        `x-ratelimit-limit-${name}`,
        header(`The key's limit of ${name} per minute; for a key without limits, the provider's, if any.`, count),
      ],
      [`x-ratelimit-remaining-${name}`, header(`The remaining ${name}.`, count)],
      [`x-ratelimit-reset-${name}`, header("Time until the whole limit is available again, e.g. `6m0s`.")],
    ]),
  ),
};

const nativeLimits = Object.fromEntries(
  ["requests", "tokens"].flatMap((name) => [
    [
      `anthropic-ratelimit-${name}-limit`,
      header(`The key's limit of ${name} per minute; for a key without limits, the provider's, if any.`, count),
    ],
    [`anthropic-ratelimit-${name}-remaining`, header(`The remaining ${name}.`, count)],
    [`anthropic-ratelimit-${name}-reset`, header("When the whole limit is available again (RFC 3339).")],
  ]),
);

const billed = {
  "x-gateway-model": header("The model that served the request."),
  "x-gateway-fallback": header(
    "The requested model and why it did not serve the request, if one of its fallbacks did: `gpt-5; reason=capacity`. Absent otherwise.",
  ),
  "x-gateway-warnings": header(
    "Fields of the request that the gateway does not know, at most eight. The model's provider may ignore them.",
  ),
  "x-gateway-attempts": header("The number of provider calls.", count),
  "x-gateway-credential": header(
    "The provider's credential of the last call: its name, or such as `sk-...abcd`. Absent for a provider without a key.",
  ),
  "x-gateway-routing": header(
    "Why the last call went to its provider and was made with its credential, such as `provider=priority, credential=affinity`: see the guide on limits. Absent if there was no choice.",
  ),
  "x-gateway-cost-usd": header("The cost of the response, if known when the headers are sent."),
  "x-gateway-max-tokens": header(
    "The cap on each candidate's output tokens that the gateway sent, if the request sets none: what the balance covers (`lower_output_cap` of the account), or the longest response that is not streamed.",
    count,
  ),
  "x-gateway-max-uses": header("The maximum number of web searches, if the request does not set `max_uses`.", count),
  "x-gateway-upstream-size": header(
    "The size that the provider generated, if the image was resampled to the requested size.",
  ),
  "x-gateway-envelope-remaining-usd": header(
    "For the key of an envelope: what the envelope and those above it leave. See the guide on envelopes.",
  ),
  "idempotent-replayed": header("true if this is the stored response of an earlier request."),
  "x-gateway-billed-request-id": header("The request whose stored response this is, and whose receipt is billed."),
};

const lost = {
  "x-gateway-billed-request-id": header("The billed request whose response is lost."),
};

const exceeded = {
  "x-gateway-end-user-budget": header("The budget whose part for this request's end user is used up."),
};

const failing = {
  "x-should-retry": header("Whether the same request may succeed later.", { type: "string", enum: ["true", "false"] }),
  "retry-after": header("Time to wait before a retry, seconds.", count),
  "retry-after-ms": header("Time to wait before a retry, milliseconds.", count),
};

const allow = { allow: header("The path's methods.") };
const location = { location: header("The task's URL.") };
const requestId = { "request-id": header("The same as `x-request-id`.") };

/** Every header in the document. */
export const headerComponents: Readonly<Record<string, Header>> = {
  ...everywhere,
  ...requestId,
  ...limits,
  ...nativeLimits,
  ...billed,
  ...lost,
  ...exceeded,
  ...failing,
  ...allow,
  ...location,
};

export interface HeaderTraits {
  readonly native: boolean;
  readonly billed: boolean;
  /** Whether the response is an error. */
  readonly failed: boolean;
  readonly status: string;
  readonly located: boolean;
}

/** References to the headers of a response. */
export function headersOf({ native, billed: costs, failed, status, located }: HeaderTraits): JsonSchema {
  const names = Object.keys({
    ...everywhere,
    ...(native && requestId),
    ...(costs && (!failed || status === "429") && { ...limits, ...(native && nativeLimits) }),
    ...(costs && !failed && billed),
    ...(costs && status === "409" && lost),
    ...(costs && status === "429" && exceeded),
    ...(failed && failing),
    ...(status === "405" && allow),
    ...(located && location),
  });
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
