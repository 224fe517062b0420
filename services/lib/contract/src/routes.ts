import type { ErrorShape } from "./errors/shapes.ts";
import { mebibyte, type RequestBody, requestBodies } from "./request-body.ts";

export type { BodyKind } from "./request-body.ts";

/**
 * The capability services that the router reaches over links: the single list of them. Each has a
 * certificate, NATS subjects, a MongoDB user, a place in the fleet and an address setting of the
 * router.
 */
export const serviceNames = ["chat", "embedding", "media", "speech", "video"] as const;

/** A capability service. */
export type ServiceName = (typeof serviceNames)[number];

/** The router's setting for a capability service's address. */
export function addressSetting<S extends ServiceName>(service: S): `${Uppercase<S>}_ADDR` {
  return `${service.toUpperCase() as Uppercase<S>}_ADDR`;
}

/** Routes that the router serves itself, through unary calls to billing and metering. */
export type QueryName = "subscription" | "usage" | "receipt" | `envelopes.${"create" | "list" | "get" | "close"}`;

/** HTTP methods of the public API. */
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

interface RouteBase extends RequestBody {
  readonly method: Method;
  /** In express's path syntax. */
  readonly path: string;
  /** The format of the route's errors. */
  readonly errorShape: ErrorShape;
  /** A header that may contain the key in place of `Authorization`. */
  readonly keyHeader?: string;
}

/**
 * How a route's requests are admitted and billed:
 * - `metered`: by its service, against money and the key's limits
 * - `free`: the same, but each bill is zero because the provider charges nothing
 * - `none`: without a bill; the router limits them
 */
type Billing = "metered" | "free" | "none";

/** What an operation is for, in the console's languages. Operations of one capability share it. */
export interface Label {
  readonly en: string;
  readonly zh: string;
}

interface PublicRoute<B extends Billing = Billing> extends RouteBase {
  readonly billing: B;
}

/** A route served by a capability service. */
export interface ForwardRoute<
  S extends ServiceName = ServiceName,
  O extends string = string,
  B extends Billing = Billing,
> extends PublicRoute<B> {
  readonly service: S;
  /** The operation's name in the catalogue, limits, the ledger, metrics and traces. */
  readonly operation: O;
  /** The catalogue's operation that its models have; default: its own. */
  readonly modelOperation?: string;
  /** Of every operation that is billed. */
  readonly label?: Label;
}

/** A route served by the router. */
interface QueryRoute extends PublicRoute {
  readonly query: QueryName;
}

/** A route for administrators, who have tokens of their own. */
export interface AdminRoute<Operation extends string = string> extends RouteBase {
  readonly operation: Operation;
  readonly admin: true;
}

/** A route that needs a key. */
export type Route = ForwardRoute | QueryRoute;

type ForwardShape<B extends Billing> = RequestBody & {
  readonly billing: B;
  readonly errorShape?: ErrorShape;
} & (B extends "none" ? unknown : { readonly label: Label });

const { noBody, json, smallJson, form, audioForm, fileForm } = requestBodies;

/** The shapes of operations, by capability. */
const chat = { ...json, billing: "metered", label: { en: "Chat", zh: "对话" } } as const;
const freeJson = { ...json, billing: "none" } as const;
const nativeJson = { ...smallJson, billing: "none", errorShape: "native" } as const;
const nativeQuery = { ...noBody, billing: "none", errorShape: "native" } as const;
const embedding = { ...json, billing: "metered", label: { en: "Embeddings", zh: "向量" } } as const;
const moderation = { ...json, billing: "free", label: { en: "Moderation", zh: "内容审核" } } as const;
const rerank = { ...json, billing: "metered", label: { en: "Reranking", zh: "重排序" } } as const;
const speech = { ...json, billing: "metered", label: { en: "Speech", zh: "语音合成" } } as const;
const transcription = { ...audioForm, billing: "metered", label: { en: "Transcription", zh: "语音转写" } } as const;
const translation = { ...audioForm, billing: "metered", label: { en: "Audio translation", zh: "语音翻译" } } as const;
const images = { ...json, billing: "metered", label: { en: "Images", zh: "图像" } } as const;
const video = { ...json, billing: "metered", label: { en: "Video", zh: "视频" } } as const;

const forward = <S extends ServiceName, O extends string, B extends Billing>(
  method: Method,
  path: string,
  service: S,
  operation: O,
  shape: ForwardShape<B>,
): ForwardRoute<S, O, B> => ({ method, path, service, operation, errorShape: "nested", ...shape });

const googleKeyHeader = "x-goog-api-key";

/** A list of models, which Google's SDKs request at the same path. */
const modelsFor = <O extends string>(path: string, operation: O) =>
  ({
    ...forward("GET", path, "chat", operation, { ...noBody, billing: "none" }),
    keyHeader: googleKeyHeader,
  }) as const;

/** A route of Google's Gemini API. */
const google = <S extends ServiceName, O extends string, B extends Billing>(
  method: Method,
  path: string,
  service: S,
  operation: O,
  shape: ForwardShape<B>,
) =>
  ({
    ...forward(method, path, service, operation, { ...shape, errorShape: "google" }),
    keyHeader: googleKeyHeader,
  }) as const;

/** Such a route for every model that generates text. */
const gemini = <O extends string, B extends Billing>(
  method: Method,
  path: string,
  operation: O,
  shape: ForwardShape<B>,
) => ({ ...google(method, path, "chat", operation, shape), modelOperation: "chat.completions" }) as const;

/** Such a route for every embedding model. */
const geminiVectors = <O extends string>(path: string, operation: O) =>
  ({ ...google("POST", path, "embedding", operation, embedding), modelOperation: "embeddings" }) as const;

const query = (
  path: string,
  name: QueryName,
  { method = "GET", body = noBody }: { readonly method?: Method; readonly body?: RequestBody } = {},
): QueryRoute => ({ method, path, query: name, errorShape: "nested", ...body, billing: "none" });

const publicTable = [
  forward("POST", "/v1/chat/completions", "chat", "chat.completions", chat),
  forward("POST", "/v1/responses", "chat", "responses", chat),
  forward("POST", "/v1/responses/input_tokens", "chat", "responses.input_tokens", freeJson),
  forward("GET", "/v1/responses/:id", "chat", "responses.get", { ...noBody, billing: "none" }),
  forward("DELETE", "/v1/responses/:id", "chat", "responses.delete", { ...noBody, billing: "none" }),
  forward("POST", "/v1/responses/:id/cancel", "chat", "responses.cancel", { ...smallJson, billing: "none" }),
  forward("GET", "/v1/responses/:id/input_items", "chat", "responses.input_items", { ...noBody, billing: "none" }),
  forward("POST", "/v1/messages", "chat", "messages", { ...chat, errorShape: "native" }),
  forward("POST", "/v1/messages/count_tokens", "chat", "messages.count_tokens", { ...freeJson, errorShape: "native" }),
  { ...forward("POST", "/v1/completions", "chat", "completions", chat), modelOperation: "chat.completions" },
  forward("POST", "/v1/embeddings", "embedding", "embeddings", embedding),
  forward("POST", "/v1/moderations", "embedding", "moderations", moderation),
  forward("POST", "/v1/rerank", "embedding", "rerank", rerank),
  // The path of Cohere's own client.
  forward("POST", "/v2/rerank", "embedding", "rerank", rerank),
  forward("POST", "/v1/audio/speech", "speech", "audio.speech", speech),
  forward("POST", "/v1/audio/transcriptions", "speech", "audio.transcriptions", transcription),
  forward("POST", "/v1/audio/translations", "speech", "audio.translations", translation),
  forward("GET", "/v1/audio/voices", "speech", "audio.voices", { ...noBody, billing: "none" }),
  forward("POST", "/v1/images/generations", "media", "images.generations", images),
  forward("POST", "/v1/images/edits", "media", "images.edits", { ...images, ...form }),
  forward("GET", "/v1/videos/generations/:id", "video", "videos.get", { ...noBody, billing: "none" }),
  forward("POST", "/v1/videos/generations", "video", "videos.generations", video),
  forward("GET", "/v1/videos/generations", "video", "videos.list", { ...noBody, billing: "none" }),
  forward("DELETE", "/v1/videos/generations/:id", "video", "videos.cancel", { ...noBody, billing: "none" }),
  forward("POST", "/v1/files", "media", "files.create", { ...fileForm, billing: "none" }),
  forward("GET", "/v1/files", "media", "files.list", { ...noBody, billing: "none" }),
  forward("GET", "/v1/files/:id", "media", "files.get", { ...noBody, billing: "none" }),
  forward("GET", "/v1/files/:id/content", "media", "files.content", { ...noBody, billing: "none" }),
  forward("DELETE", "/v1/files/:id", "media", "files.delete", { ...noBody, billing: "none" }),
  forward("POST", "/v1/messages/batches", "media", "message_batches.create", { ...freeJson, errorShape: "native" }),
  forward("GET", "/v1/messages/batches", "media", "message_batches.list", nativeQuery),
  forward("GET", "/v1/messages/batches/:id", "media", "message_batches.get", nativeQuery),
  forward("DELETE", "/v1/messages/batches/:id", "media", "message_batches.delete", nativeQuery),
  forward("GET", "/v1/messages/batches/:id/results", "media", "message_batches.results", nativeQuery),
  forward("POST", "/v1/messages/batches/:id/cancel", "media", "message_batches.cancel", nativeJson),
  forward("POST", "/v1/batches", "media", "batches.create", { ...smallJson, billing: "none" }),
  forward("GET", "/v1/batches", "media", "batches.list", { ...noBody, billing: "none" }),
  forward("GET", "/v1/batches/:id", "media", "batches.get", { ...noBody, billing: "none" }),
  forward("POST", "/v1/batches/:id/cancel", "media", "batches.cancel", { ...smallJson, billing: "none" }),
  gemini("POST", "/v1beta/models/:model\\:generateContent", "generate_content", chat),
  gemini("POST", "/v1beta/models/:model\\:streamGenerateContent", "stream_generate_content", chat),
  // Google's SDKs use this version where they are given only a base URL. `/v1/models/:id` has these
  // paths too, so that they come first.
  gemini("POST", "/v1/models/:model\\:generateContent", "generate_content", chat),
  gemini("POST", "/v1/models/:model\\:streamGenerateContent", "stream_generate_content", chat),
  gemini("POST", "/v1beta/models/:model\\:countTokens", "generate_content.count_tokens", freeJson),
  gemini("POST", "/v1/models/:model\\:countTokens", "generate_content.count_tokens", freeJson),
  geminiVectors("/v1beta/models/:model\\:embedContent", "embed_content"),
  geminiVectors("/v1/models/:model\\:embedContent", "embed_content"),
  geminiVectors("/v1beta/models/:model\\:batchEmbedContents", "batch_embed_contents"),
  geminiVectors("/v1/models/:model\\:batchEmbedContents", "batch_embed_contents"),
  gemini("GET", "/v1beta/models", "gemini_models.list", { ...noBody, billing: "none" }),
  gemini("GET", "/v1beta/models/:model", "gemini_models.get", { ...noBody, billing: "none" }),
  modelsFor("/v1/models", "models.list"),
  modelsFor("/v1/models/:id", "models.get"),
  query("/v1/dashboard/billing/subscription", "subscription"),
  query("/dashboard/billing/subscription", "subscription"),
  query("/v1/dashboard/billing/usage", "usage"),
  query("/dashboard/billing/usage", "usage"),
  query("/v1/receipts/:id", "receipt"),
  query("/v1/envelopes", "envelopes.create", { method: "POST", body: smallJson }),
  query("/v1/envelopes", "envelopes.list"),
  query("/v1/envelopes/:id", "envelopes.get"),
  query("/v1/envelopes/:id/close", "envelopes.close", { method: "POST", body: smallJson }),
] as const;

/** A parameter, or a colon that does not begin one. */
const parameter = /\\:|:(\w+)/g;

/** The names of the parameters in a route's path. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(parameter)].flatMap(([, name]) => (name === undefined ? [] : [name]));

/** A route's path with a value for each parameter. */
export const filledPath = (path: string, fill: (name: string) => string): string =>
  path.replaceAll(parameter, (_, name?: string) => (name === undefined ? ":" : fill(name)));

/** Operations with a body whose path has parameters: a request is the same only at the same path. */
const operationsByPath: ReadonlySet<string> = new Set(
  publicTable.flatMap((route) =>
    "operation" in route && route.method === "POST" && pathParameters(route.path).length > 0 ? [route.operation] : [],
  ),
);

/** Whether an operation's path has parameters that belong to its request body. */
export const isByPath = (operation: string): boolean => operationsByPath.has(operation);

/** The operation that estimates the cost of another. */
export const estimateOf = (operation: string): string => `${operation}.estimate`;

/**
 * Every operation that is metered has another route, which takes the same body and responds with an
 * upper bound of its cost: `POST /v1/estimate/chat/completions`.
 */
const estimateRoutes: readonly ForwardRoute[] = publicTable.flatMap((route) =>
  "operation" in route && route.billing === "metered" && route.path.startsWith("/v1/")
    ? [
        {
          ...route,
          path: route.path.replace("/v1/", "/v1/estimate/"),
          operation: estimateOf(route.operation),
          billing: "none",
        },
      ]
    : [],
);

/**
 * Every path that needs a key. Routes are matched in this order, so the most frequent come first.
 */
export const routes: readonly Route[] = [...publicTable, ...estimateRoutes];

/** Names of the operations that a capability service has routes for. */
export type OperationName<S extends ServiceName> = Extract<
  (typeof publicTable)[number],
  { readonly service: S }
>["operation"];

type Billed<B extends Billing> = Extract<
  (typeof publicTable)[number],
  { readonly operation: string; readonly billing: B }
>;

/** Names of the operations whose requests are billed in this way. */
export type OperationBilled<B extends Billing> = Billed<B>["operation"];

/** An operation that a model may have. */
export type ModelOperation = Exclude<Billed<"metered" | "free">, { readonly modelOperation: string }>["operation"];

/** Every operation that a model may have. */
export const modelOperations: readonly ModelOperation[] = [
  ...new Set(
    publicTable.flatMap((route) =>
      "operation" in route && !("modelOperation" in route) && route.billing !== "none" ? [route.operation] : [],
    ),
  ),
];

const servedAs: ReadonlyMap<string, string> = new Map(
  publicTable.flatMap((route) =>
    "modelOperation" in route && route.modelOperation !== undefined ? [[route.operation, route.modelOperation]] : [],
  ),
);

/** The catalogue's operation that the models of an operation have. */
export const modelOperationOf = (operation: string): string => servedAs.get(operation) ?? operation;

const admin = <O extends string>(
  method: Method,
  path: string,
  operation: O,
  more: Partial<RequestBody> = {},
): AdminRoute<`admin.${O}`> => ({
  method,
  path: `/admin/v1${path}`,
  operation: `admin.${operation}`,
  errorShape: "nested",
  ...(method === "POST" || method === "PATCH" ? smallJson : noBody),
  ...more,
  admin: true,
});

const adminTable = [
  admin("POST", "/accounts", "accounts.create"),
  admin("GET", "/accounts", "accounts.list"),
  admin("GET", "/accounts/:id", "accounts.get"),
  admin("PATCH", "/accounts/:id", "accounts.update"),
  admin("POST", "/accounts/:id/top-ups", "accounts.top_up"),
  admin("GET", "/accounts/:id/ledger", "accounts.ledger"),
  admin("GET", "/accounts/:id/holds", "accounts.holds"),
  admin("GET", "/accounts/:id/forecast", "accounts.forecast"),
  admin("GET", "/accounts/:id/message-budgets", "accounts.message_budgets"),
  admin("GET", "/accounts/:id/invoices", "accounts.invoices"),
  admin("GET", "/accounts/:id/invoices/:month", "accounts.invoice"),
  admin("POST", "/keys", "keys.create"),
  admin("GET", "/keys", "keys.list"),
  admin("GET", "/keys/:id", "keys.get"),
  admin("GET", "/keys/:id/use", "keys.use"),
  admin("PATCH", "/keys/:id", "keys.update"),
  admin("DELETE", "/keys/:id", "keys.revoke"),
  admin("POST", "/keys/:id/regenerate", "keys.regenerate"),
  admin("POST", "/budgets", "budgets.create"),
  admin("GET", "/budgets", "budgets.list"),
  admin("GET", "/budgets/:id", "budgets.get"),
  admin("GET", "/budgets/:id/end-users", "budgets.end_users"),
  admin("PATCH", "/budgets/:id", "budgets.update"),
  admin("DELETE", "/budgets/:id", "budgets.delete"),
  admin("GET", "/envelopes", "envelopes.list"),
  admin("GET", "/envelopes/:id", "envelopes.get"),
  admin("POST", "/envelopes/:id/close", "envelopes.close"),
  admin("GET", "/usage", "usage.list"),
  admin("GET", "/usage/series", "usage.series"),
  admin("GET", "/usage/events", "usage.events"),
  admin("GET", "/usage/events/:id", "usage.receipt"),
  admin("GET", "/usage/export", "usage.export"),
  admin("GET", "/refusals", "refusals.list"),
  admin("GET", "/refusals/series", "refusals.series"),
  admin("GET", "/ledger", "ledger.read"),
  admin("POST", "/ledger/repair", "ledger.repair"),
  admin("GET", "/models", "models.list"),
  admin("POST", "/models", "models.create"),
  admin("GET", "/models/:model", "models.get"),
  admin("PATCH", "/models/:model", "models.update"),
  admin("DELETE", "/models/:model", "models.delete"),
  admin("GET", "/fleet", "fleet.get"),
  admin("GET", "/reconciliations", "reconciliations.list"),
  admin("GET", "/prices", "prices.review"),
  admin("POST", "/prices", "prices.accept"),
  // A table has up to 2,000 models.
  admin("POST", "/prices/tables", "prices.table", { maxBodyBytes: 2 * mebibyte }),
  admin("GET", "/providers", "providers.list"),
  admin("POST", "/providers", "providers.create"),
  admin("GET", "/providers/:id", "providers.get"),
  admin("PATCH", "/providers/:id", "providers.update"),
  admin("DELETE", "/providers/:id", "providers.delete"),
  admin("POST", "/providers/:id/test", "providers.test"),
  admin("GET", "/providers/:id/models", "providers.models"),
  admin("POST", "/providers/:id/credentials", "providers.credentials.create"),
  admin("PATCH", "/providers/:id/credentials/:credential", "providers.credentials.update"),
  admin("DELETE", "/providers/:id/credentials/:credential", "providers.credentials.delete"),
  admin("GET", "/provider-templates", "provider_templates.list"),
  admin("GET", "/catalog", "catalog.get"),
  admin("GET", "/audit-log", "audit_log.list"),
  admin("POST", "/tokens", "tokens.create"),
  admin("GET", "/tokens", "tokens.list"),
  admin("DELETE", "/tokens/:id", "tokens.revoke"),
  admin("POST", "/alerts", "alerts.create"),
  admin("GET", "/alerts", "alerts.list"),
  admin("PATCH", "/alerts/:id", "alerts.update"),
  admin("DELETE", "/alerts/:id", "alerts.delete"),
  admin("POST", "/alerts/:id/test", "alerts.test"),
  admin("POST", "/webhooks/secrets", "webhooks.secrets.create"),
  admin("GET", "/webhooks/secrets", "webhooks.secrets.list"),
  admin("DELETE", "/webhooks/secrets/:id", "webhooks.secrets.end"),
  admin("GET", "/webhooks/deliveries", "webhooks.deliveries.list"),
  admin("GET", "/webhooks/deliveries/:id", "webhooks.deliveries.get"),
  admin("POST", "/webhooks/deliveries/:id/replay", "webhooks.deliveries.replay"),
] as const;

/** Names of the admin API's operations. */
export type AdminOperation = (typeof adminTable)[number]["operation"];

/** Every path that needs an admin token. */
export const adminRoutes: readonly AdminRoute<AdminOperation>[] = adminTable;

/**
 * The header of the operators' port in which the console sends its own admin token: only then is
 * its `x-forwarded-for` trusted for a client's address.
 */
export const consoleHeader = "x-console-token";
