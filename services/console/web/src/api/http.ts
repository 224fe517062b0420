import { errorOf } from "./error.ts";

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Call {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Sent as JSON, unless it is a form. */
  readonly body?: unknown;
  readonly query?: Query;
  readonly signal?: AbortSignal | undefined;
}

const base = "/console/api";
let csrfToken = "";

/** What every call that changes something carries from now on. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/**
 * A path of the console's API with its query, for a link or a call; what is undefined or empty is
 * left out.
 */
export function urlOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${base}${path}${text === "" ? "" : `?${text}`}`;
}

/**
 * Calls the console's API.
 * @throws {ApiError} for an unsuccessful response
 */
export async function send(path: string, { method = "GET", body, query, signal }: Call = {}): Promise<Response> {
  const isForm = body instanceof FormData;
  const headers = new Headers();
  if (method !== "GET") headers.set("x-csrf-token", csrfToken);
  if (body !== undefined && !isForm) headers.set("content-type", "application/json");
  const response = await fetch(urlOf(path, query), {
    method,
    headers,
    credentials: "same-origin",
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Calls an endpoint that returns JSON. Undefined for a response without a body. */
export async function call<T>(path: string, options?: Call): Promise<T> {
  const response = await send(path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}
