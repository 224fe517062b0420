import type { JsonSchema } from "./json-schema.ts";

interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

const text = { type: "string" } as const;
const count = { type: "integer", minimum: 0 } as const;
const header = (description: string, schema: JsonSchema = text): Header => ({ description, schema });

const everywhere = {
  "x-request-id": header("Our id of the request."),
  "openai-processing-ms": header("How long it took until the answer's head, milliseconds.", count),
};

const limits = Object.fromEntries(
  ["requests", "tokens"].flatMap((name) => [
    [
      `x-ratelimit-limit-${name}`,
      header(`The key's ${name} per minute; of a key without limits what the provider says, if anything.`, count),
    ],
    [`x-ratelimit-remaining-${name}`, header(`How many of the ${name} are left.`, count)],
    [`x-ratelimit-reset-${name}`, header("Until all of them are free again, e.g. `6m0s`.")],
  ]),
);

const nativeLimits = Object.fromEntries(
  ["requests", "tokens"].flatMap((name) => [
    [
      `anthropic-ratelimit-${name}-limit`,
      header(`The key's ${name} per minute; of a key without limits what the provider says, if anything.`, count),
    ],
    [`anthropic-ratelimit-${name}-remaining`, header(`How many of the ${name} are left.`, count)],
    [`anthropic-ratelimit-${name}-reset`, header("When all of them are free again (RFC 3339).")],
  ]),
);

const billed = {
  "x-gateway-model": header("The model that answered."),
  "x-gateway-attempts": header("How many calls to providers the answer took.", count),
  "x-gateway-cost-usd": header("What the answer costs, where it is known when the head is sent."),
  "x-gateway-max-tokens": header("The output tokens that the balance covers, where it limits them.", count),
  "x-gateway-max-uses": header(
    "The web searches that the provider may run for the answer, where the client has set no `max_uses`.",
    count,
  ),
  "x-gateway-upstream-size": header(
    "The size that the provider drew, where the picture was resampled to the one asked for.",
  ),
  "idempotent-replayed": header("true when this is the stored answer of an earlier request."),
};

const lost = {
  "x-gateway-billed-request-id": header("The request that was billed, and whose answer is lost."),
};

const failing = {
  "x-should-retry": header("Whether the same request may succeed later.", { type: "string", enum: ["true", "false"] }),
  "retry-after": header("When to try again, seconds.", count),
  "retry-after-ms": header("When to try again, milliseconds.", count),
};

const allow = { allow: header("The methods of the path.") };
const location = { location: header("Path of the task.") };
const requestId = { "request-id": header("The same as `x-request-id`.") };

/** Every header in the document. */
export const headerComponents: Readonly<Record<string, Header>> = {
  ...everywhere,
  ...requestId,
  ...limits,
  ...nativeLimits,
  ...billed,
  ...lost,
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
    ...(failed && failing),
    ...(status === "405" && allow),
    ...(located && location),
  });
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
