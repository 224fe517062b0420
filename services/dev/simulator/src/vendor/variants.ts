import type { BytesReply, EventsReply, JsonReply, Provider, Reply, StreamEvent } from "../http/types.ts";
import { type Call, type Problem, type Protocol, Rejection } from "../http/types.ts";
import { vendorChat } from "./chat.ts";
import { vendorProtocol } from "./protocol.ts";

/** How a vendor's copy of OpenAI's protocol differs. */
interface Variant {
  readonly name: string;
  /** Relative to its prefix. */
  readonly path: string;
  /** Serves requests without a key. */
  readonly open?: true;
  /** Fields that are rejected, and with which status. */
  readonly rejects?: { readonly fields: readonly string[]; readonly status: number };
  /** The members of a stream's last chunk that have its usage, which is sent unasked; default: as in OpenAI's. */
  readonly lastChunk?: (usage: unknown) => object;
  errorOf(problem: { readonly status: number; readonly message: string; readonly field?: string }): object;
}

const flat = (usage: unknown): object => ({ usage });

/** Named as the templates of the catalogue. */
const variants: readonly Variant[] = [
  {
    // https://openrouter.ai/docs/api-reference/errors
    name: "openrouter",
    path: "/api/v1",
    lastChunk: flat,
    errorOf: ({ status, message }) => ({ error: { code: status, message, metadata: { provider_name: "Simulated" } } }),
  },
  {
    // https://console.groq.com/docs/openai, "Currently Unsupported OpenAI Features"
    name: "groq",
    path: "/openai/v1",
    rejects: { fields: ["logprobs", "logit_bias", "top_logprobs"], status: 400 },
    lastChunk: (usage) => ({ x_groq: { id: "req_simulated", usage } }),
    errorOf: ({ message, field }) => ({
      error: { message, type: "invalid_request_error", ...(field !== undefined && { param: field }) },
    }),
  },
  {
    // https://docs.mistral.ai/api/endpoint/chat: other fields are forbidden.
    name: "mistral",
    path: "/v1",
    rejects: {
      fields: [
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "seed",
        "service_tier",
        "store",
        "stream_options",
        "top_logprobs",
        "user",
        "verbosity",
      ],
      status: 422,
    },
    lastChunk: flat,
    errorOf({ message, field }) {
      const about = { type: "invalid_request_error", param: null, code: null };
      if (field === undefined) return { object: "error", message, ...about };
      const detail = [{ type: "extra_forbidden", loc: ["body", field], msg: "Extra inputs are not permitted" }];
      return { object: "error", message: { detail }, ...about };
    },
  },
  {
    // https://docs.together.ai/docs/error-codes
    name: "together",
    path: "/v1",
    lastChunk: flat,
    errorOf: ({ message }) => ({
      id: "simulated",
      error: { message, type: "invalid_request_error", param: null, code: null },
    }),
  },
  {
    // https://docs.fireworks.ai/guides/querying-text-models, "Usage statistics"
    name: "fireworks",
    path: "/inference/v1",
    lastChunk: flat,
    errorOf: ({ message }) => ({ error: { object: "error", type: "invalid_request_error", message } }),
  },
  {
    // https://docs.ollama.com/api/openai-compatibility
    name: "ollama",
    path: "/v1",
    open: true,
    errorOf: ({ message }) => ({ error: { message, type: "api_error", param: null, code: null } }),
  },
  {
    // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
    name: "vllm",
    path: "/v1",
    open: true,
    errorOf: ({ status, message }) => ({
      object: "error",
      message,
      type: "BadRequestError",
      param: null,
      code: status,
    }),
  },
];

function protocolOf({ name, open, errorOf }: Variant): Protocol {
  const json = (status: number, message: string): JsonReply => ({
    type: "json",
    status,
    body: errorOf({ status, message }),
  });
  return {
    ...vendorProtocol,
    provider: name,
    ...(open && { open }),
    unauthorized: () => json(401, "Invalid API key."),
    notFound: () => json(404, "Not Found"),
    badJson: () => json(400, "The body is not valid JSON."),
    error: ({ status, message }: Problem) => json(status, message ?? "The request failed."),
    streamError: ({ status, message }) => ({
      data: JSON.stringify(errorOf({ status, message: message ?? "The stream failed." })),
    }),
  };
}

/** A vendor's error has its own form. */
function rejected({ errorOf }: Variant, status: number, message: string, field?: string): Rejection {
  return new Rejection({
    type: "json",
    status,
    body: errorOf({ status, message, ...(field !== undefined && { field }) }),
  });
}

function chat(variant: Variant, call: Call): Reply {
  const { rejects, lastChunk } = variant;
  const fields = call.body as Record<string, unknown>;
  const field = rejects?.fields.find((name) => fields[name] !== undefined);
  if (rejects !== undefined && field !== undefined)
    throw rejected(variant, rejects.status, `property '${field}' is unsupported`, field);
  if (lastChunk === undefined) return inOwnForm(variant, call);
  const body = { ...fields, ...(fields["stream"] === true && { stream_options: { include_usage: true } }) };
  const reply = inOwnForm(variant, { ...call, body });
  return reply.type === "events" ? { ...reply, events: withUsageInLast(reply.events, lastChunk) } : reply;
}

function inOwnForm(variant: Variant, call: Call): EventsReply | JsonReply | BytesReply {
  try {
    return vendorChat(call);
  } catch (cause) {
    if (!(cause instanceof Rejection) || cause.reply.type !== "json") throw cause;
    const { error } = cause.reply.body as { error: { message: string } };
    throw rejected(variant, cause.reply.status, error.message);
  }
}

/** Moves the usage from a chunk of its own to the one before it. */
function* withUsageInLast(
  events: Iterable<StreamEvent>,
  lastChunk: (usage: unknown) => object,
): Generator<StreamEvent> {
  let last: StreamEvent | undefined;
  for (const event of events) {
    if (event.usageOnly && last !== undefined) {
      const { usage: _, ...chunk } = JSON.parse(last.data) as Record<string, unknown>;
      const { usage } = JSON.parse(event.data) as { usage: unknown };
      last = { ...last, data: JSON.stringify({ ...chunk, ...lastChunk(usage) }), usage: event.usage };
    } else {
      if (last !== undefined) yield last;
      last = event;
    }
  }
  if (last !== undefined) yield last;
}

const models = (): Reply => ({
  type: "json",
  status: 200,
  body: { object: "list", data: [{ id: "deepseek-flash", object: "model", owned_by: "vendor" }] },
});

/** The vendors that are templates of the catalogue, each with its documented differences. */
export const vendorVariants: readonly Provider[] = variants.map((variant) => ({
  name: variant.name,
  prefix: `/${variant.name}`,
  protocol: protocolOf(variant),
  routes: [
    {
      method: "POST",
      path: `${variant.path}/chat/completions`,
      operation: "chat.completions",
      handle: (call) => chat(variant, call),
    },
    { method: "GET", path: `${variant.path}/models`, operation: "models.list", handle: models },
  ],
}));
