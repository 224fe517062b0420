import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** The parts of a stack that a test calls. */
export interface Stack {
  readonly apiUrl: string;
  readonly adminUrl: string;
  readonly adminToken: string;
}

/** A response to a request under load. */
export interface Outcome {
  readonly status: number;
  readonly body: string;
  /** USD, from `x-gateway-cost-usd`; undefined for a stream. */
  readonly cost: number | undefined;
}

/** Calls the admin API: with POST if there is a body. @throws with the response unless it is a success */
async function admin({ adminUrl, adminToken }: Stack, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  const content = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${adminUrl}/admin/v1/${path}`, { headers, ...content });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const created = z.object({ key: z.string() });

/** Creates an account with 100 USD and returns its key. */
export async function createKey(stack: Stack): Promise<string> {
  await admin(stack, "accounts", { id: "compose", name: "Compose" });
  await admin(stack, "accounts/compose/top-ups", { amount_usd: "100", reference: "first" });
  return created.parse(await admin(stack, "keys", { account_id: "compose", key_alias: "first" })).key;
}

const usageList = z.object({ data: z.array(z.object({ operation: z.string(), requests: z.number() })) });

/** How many requests metering has recorded, by operation. */
export async function recordedRequests(stack: Stack): Promise<ReadonlyMap<string, number>> {
  const { data } = usageList.parse(await admin(stack, "usage?account=compose"));
  const recorded = new Map<string, number>();
  for (const { operation, requests } of data) recorded.set(operation, (recorded.get(operation) ?? 0) + requests);
  return recorded;
}

/** Why no whole response was received, with what is known of it. */
function described(error: unknown, response: Response | undefined): string {
  const { message, cause } = error as Error;
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return response === undefined ? why : `${why}, after ${response.status} ${response.headers.get("x-request-id")}`;
}

/** Sends a request of the public API. The status of a connection that fails is 0. */
export async function post({ apiUrl }: Stack, key: string, path: string, body: object): Promise<Outcome> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  let response: Response | undefined;
  try {
    response = await fetch(`${apiUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const cost = response.headers.get("x-gateway-cost-usd");
    const text = await response.text();
    return { status: response.status, body: text.slice(0, 500), cost: cost === null ? undefined : Number(cost) };
  } catch (error) {
    return { status: 0, body: described(error, response), cost: undefined };
  }
}

const messages = [{ role: "user", content: "Hello!" }];

export const chat = (stack: Stack, key: string): Promise<Outcome> =>
  post(stack, key, "/v1/chat/completions", { model: "gpt-4o-mini", messages });

/** Requests for every capability service: their operation, path and body. */
const requests: readonly (readonly [operation: string, path: string, body: object])[] = [
  ["chat.completions", "/v1/chat/completions", { model: "gpt-4o-mini", messages }],
  ["chat.completions", "/v1/chat/completions", { model: "gpt-4o-mini", messages, stream: true }],
  ["embeddings", "/v1/embeddings", { model: "text-embedding-3-small", input: "a boat" }],
  ["audio.speech", "/v1/audio/speech", { model: "alpha3-tts-flash", input: "a boat", voice: "Cherry" }],
  ["images.generations", "/v1/images/generations", { model: "gamma-image-1-mini", prompt: "a boat" }],
  [
    "videos.generations",
    "/v1/videos/generations",
    { model: "grok-imagine-video", duration: 3, resolution: "480p", prompt: "a boat" },
  ],
];

/** What light load found: how many requests of each operation succeeded, and those that failed. */
export interface LoadResult {
  readonly served: Readonly<Record<string, number>>;
  readonly failed: readonly string[];
}

/** Sends requests of every operation for a while, one at a time of each. */
export async function lightLoad(stack: Stack, key: string, seconds: number): Promise<LoadResult> {
  const until = performance.now() + seconds * 1_000;
  const served: Record<string, number> = {};
  const failed: string[] = [];
  const workers = requests.map(async ([operation, path, body]) => {
    for (; performance.now() < until; await sleep(100)) {
      const { status, body: text } = await post(stack, key, path, body);
      if (status >= 200 && status < 300) served[operation] = (served[operation] ?? 0) + 1;
      else failed.push(`${new Date().toISOString()} ${operation}: ${status} ${text}`);
    }
  });
  await Promise.all(workers);
  return { served, failed };
}
