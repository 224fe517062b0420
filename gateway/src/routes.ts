import type { Dialect } from "./dialect.ts";

/** The capability services that the router reaches over links. */
export type ServiceName = "chat" | "embedding" | "media" | "speech" | "video";

/** What the router answers itself, from billing's and metering's unary calls. */
export type QueryName = "subscription" | "usage";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** What express calls each method. */
export const verbs = { GET: "get", POST: "post", PATCH: "patch", DELETE: "delete" } as const;

/** What a route's request carries after its head; a body on a `none` route is ignored. */
export type BodyKind = "json" | "multipart" | "none";

interface RouteBase {
  readonly method: Method;
  /** In express's path syntax. */
  readonly path: string;
  readonly dialect: Dialect;
  readonly body: BodyKind;
}

interface PublicRoute extends RouteBase {
  /** Admitted by its service against money and the key's limits. What is not is limited by the router. */
  readonly billed: boolean;
}

export interface ForwardRoute extends PublicRoute {
  readonly service: ServiceName;
  /** The service's own name for what is asked. */
  readonly operation: string;
}

export interface QueryRoute extends PublicRoute {
  readonly query: QueryName;
}

/** What administrators ask, with a token of their own. */
export interface AdminRoute extends RouteBase {
  readonly operation: string;
}

export type Route = ForwardRoute | QueryRoute;

const forward = (
  method: Method,
  path: string,
  service: ServiceName,
  operation: string,
  shape: { body: BodyKind; dialect?: Dialect; billed?: true },
): ForwardRoute => ({ method, path, service, operation, dialect: "nested", billed: false, ...shape });

const query = (path: string, name: QueryName): QueryRoute => ({
  method: "GET",
  path,
  query: name,
  dialect: "nested",
  body: "none",
  billed: false,
});

/** Every path that needs a key. The order is the order of matching: what is asked most comes first. */
export const routes: readonly Route[] = [
  forward("POST", "/v1/chat/completions", "chat", "chat.completions", { body: "json", billed: true }),
  forward("POST", "/v1/messages", "chat", "messages.create", { body: "json", billed: true, dialect: "native" }),
  forward("POST", "/v1/messages/count_tokens", "chat", "messages.count_tokens", { body: "json", dialect: "native" }),
  forward("POST", "/v1/embeddings", "embedding", "embeddings", { body: "json", billed: true }),
  forward("POST", "/v1/audio/speech", "speech", "audio.speech", { body: "json", billed: true }),
  forward("GET", "/v1/audio/voices", "speech", "audio.voices", { body: "none" }),
  forward("POST", "/v1/images/generations", "media", "images.generations", { body: "json", billed: true }),
  forward("POST", "/v1/images/edits", "media", "images.edits", { body: "multipart", billed: true }),
  forward("GET", "/v1/videos/generations/:id", "video", "videos.get", { body: "none" }),
  forward("POST", "/v1/videos/generations", "video", "videos.create", { body: "json", billed: true }),
  forward("GET", "/v1/videos/generations", "video", "videos.list", { body: "none" }),
  forward("DELETE", "/v1/videos/generations/:id", "video", "videos.cancel", { body: "none" }),
  forward("GET", "/v1/models", "chat", "models.list", { body: "none" }),
  forward("GET", "/v1/models/:id", "chat", "models.get", { body: "none" }),
  query("/v1/dashboard/billing/subscription", "subscription"),
  query("/dashboard/billing/subscription", "subscription"),
  query("/v1/dashboard/billing/usage", "usage"),
  query("/dashboard/billing/usage", "usage"),
];
