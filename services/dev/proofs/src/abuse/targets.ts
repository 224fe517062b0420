import { mountBodyLimits } from "@uag/contract/body-limits";
import { adminRoutes, type BodyKind, routes } from "@uag/contract/routes";
import { mounts } from "@uag/router/mounts";
import { examples } from "@uag/router/openapi/examples/examples";
import { probes } from "@uag/router/openapi/probes";

/** What an attacker needs to know about one path of the public server. */
export interface Target {
  readonly method: string;
  readonly path: string;
  /** A valid value for the path's parameter; default: none is known. */
  readonly id?: string;
  readonly body: BodyKind;
  /** Larger bodies are rejected unread, bytes; default: the maximum of all paths. */
  readonly maxBodyBytes?: number;
  /** Further required headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent by a user signed in to the console as a member of an account without money. */
  readonly signedIn?: boolean;
  /** A valid request with the given fill in its main field; for JSON paths. */
  readonly sample?: (fill: unknown) => object;
  /** The same with URLs for the gateway to fetch. */
  readonly withUrls?: (urls: readonly string[]) => object;
  /** The same with an image in base64: the content of a data URL, or the URL if `asUrl`. */
  readonly withPicture?: { readonly asUrl: boolean; readonly sample: (fill: unknown) => object };
}

const picture = (url: unknown) => ({ type: "image_url", image_url: { url } });
const source = (url: string) => ({ type: "image", source: { type: "url", url } });
const inline = (data: unknown) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } });
const sonnet = { model: "claude-sonnet-4-6", max_tokens: 10 };
const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const userMessage = (content: unknown) => ({ input: [{ role: "user", content }] });
const seen = (url: unknown) => ({ type: "input_image", image_url: url });
const video = { model: "beta2.7-r2v", duration: 5, resolution: "720p" };

type Sample = Pick<Target, "id" | "sample" | "withUrls" | "withPicture">;

const generated: Sample = {
  id: "gemini-2.5-flash",
  sample: (fill) => ({ contents: [{ parts: [{ text: fill }] }] }),
  withUrls: (urls) => ({
    contents: [{ parts: urls.map((fileUri) => ({ fileData: { mimeType: "image/png", fileUri } })) }],
  }),
  withPicture: {
    asUrl: false,
    sample: (data) => ({ contents: [{ parts: [{ inlineData: { mimeType: "image/png", data } }] }] }),
  },
};

/** Operations with inputs that their example does not have: URLs, images, a nested prompt. */
const samples: Readonly<Record<string, Sample>> = {
  "chat.completions": {
    sample: (fill) => ({ model: "gpt-4o-mini", ...user(fill) }),
    withUrls: (urls) => ({ model: "gemini-2.5-flash", ...user(urls.map(picture)) }),
    withPicture: { asUrl: true, sample: (url) => ({ model: "gpt-4o-mini", ...user([picture(url)]) }) },
  },
  responses: {
    sample: (fill) => ({ model: "gpt-4o-mini", input: fill }),
    withUrls: (urls) => ({ model: "gemini-2.5-flash", ...userMessage(urls.map(seen)) }),
    withPicture: { asUrl: true, sample: (url) => ({ model: "gpt-4o-mini", ...userMessage([seen(url)]) }) },
  },
  "responses.input_tokens": {
    sample: (fill) => ({ model: "gpt-4o-mini", input: fill }),
    withUrls: (urls) => ({ model: "gemini-2.5-flash", ...userMessage(urls.map(seen)) }),
    withPicture: { asUrl: true, sample: (url) => ({ model: "gpt-4o-mini", ...userMessage([seen(url)]) }) },
  },
  messages: {
    sample: (fill) => ({ ...sonnet, ...user(fill) }),
    withUrls: (urls) => ({ ...sonnet, model: "gemini-2.5-flash", ...user(urls.map(source)) }),
    withPicture: { asUrl: false, sample: (data) => ({ ...sonnet, ...user([inline(data)]) }) },
  },
  "messages.count_tokens": {
    sample: (fill) => ({ ...sonnet, ...user(fill) }),
    withUrls: (urls) => ({ model: "gemini-2.5-flash", ...user(urls.map(source)) }),
    withPicture: { asUrl: false, sample: (data) => ({ model: "gemini-2.5-flash", ...user([inline(data)]) }) },
  },
  generate_content: { ...generated, id: "claude-sonnet-4-6" },
  "generate_content.count_tokens": generated,
  stream_generate_content: generated,
  embed_content: { id: "gemini-embedding-001", sample: (text) => ({ content: { parts: [{ text }] } }) },
  batch_embed_contents: { id: "voyage-4-lite", sample: (text) => ({ requests: [{ content: { parts: [{ text }] } }] }) },
  // Their bodies have no fields.
  "message_batches.cancel": { sample: (unknown) => ({ unknown }) },
  "responses.cancel": { sample: (unknown) => ({ unknown }) },
  "batches.cancel": { sample: (unknown) => ({ unknown }) },
  "images.generations": {
    sample: (fill) => ({ model: "gamma-image-2", prompt: fill }),
    withUrls: (urls) => ({
      model: "alpha-image-edit",
      input: user([{ text: "mend" }, ...urls.map((image) => ({ image }))]),
    }),
    withPicture: {
      asUrl: true,
      sample: (image) => ({ model: "alpha-image-edit", input: user([{ text: "mend" }, { image }]) }),
    },
  },
  "videos.generations": {
    sample: (fill) => ({ ...video, input: { prompt: fill } }),
    withUrls: (urls) => ({
      ...video,
      webhook_url: urls[0],
      input: { prompt: "a cat", media: urls.map((url) => ({ type: "reference_image", url })) },
    }),
    withPicture: {
      asUrl: true,
      sample: (url) => ({ ...video, input: { prompt: "a cat", media: [{ type: "reference_image", url }] } }),
    },
  },
};

const secondFactor = {
  body: "json",
  signedIn: true,
  sample: (code) => ({ code, password: "x" }),
} as const satisfies Pick<Target, "body" | "signedIn" | "sample">;

/** The console's own API, as far as a member may use it, and the APIs that it forwards to. */
const consoleTargets = (): readonly Target[] => [
  { method: "GET", path: "/console/api/sign-in", body: "none" },
  { method: "POST", path: "/console/api/session", body: "json", sample: (email) => ({ email, password: "x" }) },
  { method: "POST", path: "/console/api/invitations/:id/accept", body: "json", sample: (password) => ({ password }) },
  { method: "POST", path: "/console/api/address-confirmations", body: "json", sample: (token) => ({ token }) },
  { method: "POST", path: "/console/api/password-resets", body: "json", sample: (email) => ({ email }) },
  {
    method: "POST",
    path: "/console/api/password-resets/complete",
    body: "json",
    sample: (token) => ({ token, password: "a new password" }),
  },
  { method: "GET", path: "/console/api/sessions", body: "none", signedIn: true },
  { method: "DELETE", path: "/console/api/sessions/:id", body: "none", signedIn: true },
  { method: "PATCH", path: "/console/api/user", body: "json", signedIn: true, sample: (name) => ({ name }) },
  {
    method: "POST",
    path: "/console/api/password",
    body: "json",
    signedIn: true,
    sample: (current) => ({ current, new: current }),
  },
  { method: "POST", path: "/console/api/two-factor", ...secondFactor },
  { method: "POST", path: "/console/api/two-factor/confirm", ...secondFactor },
  { method: "POST", path: "/console/api/two-factor/recovery-codes", ...secondFactor },
  { method: "POST", path: "/console/api/two-factor/disable", ...secondFactor },
  {
    method: "POST",
    path: "/console/api/invitations",
    body: "json",
    signedIn: true,
    sample: (email) => ({ email, role: "member" }),
  },
  { method: "PATCH", path: "/console/api/users/:id", body: "json", signedIn: true, sample: (name) => ({ name }) },
  { method: "POST", path: "/console/api/admin/v1/keys", body: "json", signedIn: true, sample: (name) => ({ name }) },
  { method: "GET", path: "/console/api/admin/v1/usage", body: "none", signedIn: true },
  { ...passedOn("chat.completions"), signedIn: true },
  { ...passedOn("images.edits"), signedIn: true },
];

/** An operation of the public API that the console's playground forwards. */
function passedOn(operation: string): Target {
  const route = routes.find((each) => "operation" in each && each.operation === operation);
  if (route === undefined) throw new Error(`unknown operation ${operation}`);
  const { method, path, body } = route;
  return { method, path: `/console/api/gateway${path}`, body, ...(body === "json" && sampleOf(operation)) };
}

const toolCall = (content: unknown) => ({ name: "chat", arguments: { model: "gpt-4o-mini", ...user(content) } });
const mcpTarget: Target = {
  method: "POST",
  path: "/mcp",
  body: "json",
  maxBodyBytes: mountBodyLimits["/mcp"],
  headers: { accept: "application/json, text/event-stream" },
  sample: (fill) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: toolCall(fill) }),
};

/** An estimate takes the body of its operation, of which it fetches nothing. */
const sampleOf = (operation: string): Sample => samples[operation.replace(/\.estimate$/, "")] ?? exampleOf(operation);

/**
 * The first example of the reference, with the fill inserted after the model, and the first with a
 * URL in a list. A route without an example fails the program, so that none is overlooked.
 */
function exampleOf(operation: string): Sample {
  const bodies = examples.flatMap((one) => (one.operation === operation && one.body !== undefined ? [one.body] : []));
  const main = Object.keys(bodies[0] ?? {}).find((name) => name !== "model");
  if (main === undefined) throw new Error(`the reference has no example of ${operation} with a body`);
  const sample = (fill: unknown) => ({ ...bodies[0], [main]: fill });
  const withUrl = bodies.find((body) => hasUrl(body));
  if (withUrl === undefined) return { sample };
  return {
    sample,
    withUrls: (urls) => withUrlsIn(withUrl, urls) as object,
    withPicture: { asUrl: true, sample: (url) => withUrlsIn(withUrl, [url]) as object },
  };
}

const isUrl = (value: unknown): boolean => typeof value === "string" && value.startsWith("https://");
const membersOf = (value: unknown): unknown[] =>
  typeof value === "object" && value !== null ? Object.values(value) : [];
const hasUrl = (value: unknown): boolean => isUrl(value) || membersOf(value).some(hasUrl);

/** A copy whose item with a URL is repeated for each of these URLs. */
function withUrlsIn(value: unknown, urls: readonly unknown[]): unknown {
  if (isUrl(value)) return urls[0];
  if (Array.isArray(value))
    return value.flatMap((item) => (hasUrl(item) ? urls.map((url) => withUrlsIn(item, [url])) : [item]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withUrlsIn(member, urls)]));
}

/**
 * Every path that the router serves: with keys, for administrators, without authentication, and of
 * services behind it.
 */
export function targets(): Target[] {
  const sample = (fill: unknown) => ({ name: fill });
  const keyed = routes.map((route): Target => {
    const { method, path, body } = route;
    return {
      method,
      path,
      body,
      ...(body === "json" && ("operation" in route ? sampleOf(route.operation) : { sample })),
    };
  });
  const admin = adminRoutes.map(({ method, path, body }) => ({
    method,
    path,
    body,
    ...(body === "json" && { sample }),
  }));
  const open = Object.keys({ ...probes.public, ...probes.admin }).map((path) => ({
    method: "GET",
    path,
    body: "none" as const,
  }));
  const behind = mounts.map(({ path }) => ({ method: "POST", path: `${path}/x`, body: "none" as const }));
  return [...keyed, ...admin, ...open, ...behind, mcpTarget, ...consoleTargets()];
}
