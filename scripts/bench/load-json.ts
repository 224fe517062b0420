import { Worker } from "node:worker_threads";
import { checkJsonResponse } from "./check-json.ts";
import { Connection } from "./connection.ts";
import { checkEmbeddings, embeddingsBody, type VectorFormat } from "./embeddings.ts";
import { checkGeminiResponse, geminiBody, geminiPath } from "./gemini.ts";
import { Samples } from "./percentiles.ts";
import { chatTemplate, type Endpoint, nextNonce, RequestTemplate } from "./request.ts";
import { monotonicUs } from "./responses.ts";

export interface JsonResult {
  /** Number of all completed requests. */
  readonly requests: number;
  /** Number of requests completed within the measured time. */
  readonly inTime: number;
  readonly seconds: number;
  readonly latencyMs: Float64Array;
}

interface Client {
  call(fromUs: number): void;
  close(): void;
}

/** The request to send; default: a chat completion. */
export interface RequestSchedule {
  readonly endpoint: Endpoint;
  /** Embeddings in this format. */
  readonly vectors?: VectorFormat;
  /** A text, in Gemini's format. */
  readonly gemini?: boolean;
  /** Keys of equal length that requests use in turn, over all connections. */
  readonly keys?: readonly string[];
}

function templateOf({ endpoint, vectors, gemini }: RequestSchedule): RequestTemplate {
  if (gemini) return new RequestTemplate(endpoint, { path: geminiPath, body: geminiBody });
  if (vectors === undefined) return chatTemplate(endpoint);
  const body = (nonce: string) => embeddingsBody({ model: endpoint.model, nonce, format: vectors });
  return new RequestTemplate(endpoint, { path: "/embeddings", body });
}

let turn = 0;

function nextKey(keys: readonly string[] | undefined): string | undefined {
  return keys?.[turn++ % keys.length];
}

const closes = /\r\nconnection: *close\r\n/i;

/**
 * One connection that sends one request at a time, checks the response and reports its latency. A
 * server may end a connection with a response, as the router does with an old one: the next request
 * then uses a new connection, and opening it counts toward its latency.
 */
async function openClient(options: {
  readonly pending: RequestSchedule;
  readonly latency: Samples;
  readonly responded: (client: Client) => void;
  readonly failed: (error: Error) => void;
}): Promise<Client> {
  const { pending: requesting, latency, responded, failed } = options;
  const { endpoint, vectors, gemini } = requesting;
  const template = templateOf(requesting);
  let nonce = "";
  let fromUs = 0;
  let head = "";
  let body = "";
  const sink = {
    head: (text: string) => {
      head = text;
      body = "";
    },
    body: (bytes: Buffer) => {
      body += bytes.toString("latin1");
    },
    end: () => {
      const now = monotonicUs();
      if (gemini) checkGeminiResponse({ head, body, nonce });
      else if (vectors === undefined) checkJsonResponse({ head, body, nonce, model: endpoint.model });
      else checkEmbeddings({ head, body, nonce }, vectors);
      latency.add((now - fromUs) / 1_000);
      if (closes.test(head)) connection.close();
      responded(client);
    },
  };
  const open = () => Connection.open({ address: endpoint, lost: failed, sink });
  let connection = await open();
  const client: Client = {
    call: (from) => {
      nonce = nextNonce();
      fromUs = from;
      const request = template.with(nonce, nextKey(requesting.keys));
      if (!closes.test(head)) return connection.send(request);
      open().then((opened) => {
        connection = opened;
        opened.send(request);
      }, failed);
    },
    close: () => connection.close(),
  };
  return client;
}

/**
 * Keeps a number of connections busy: each sends its next request when it has its response.
 * `requests` may end it sooner.
 */
export async function runClosedLoop(
  job: RequestSchedule & { readonly connections: number; readonly seconds: number; readonly requests?: number },
): Promise<JsonResult> {
  const latency = new Samples();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let endUs = Number.POSITIVE_INFINITY;
  let left = (job.requests ?? Number.POSITIVE_INFINITY) - job.connections;
  let busy = job.connections;
  let inTime = 0;
  const responded = (client: Client) => {
    const now = monotonicUs();
    if (now < endUs) {
      inTime += 1;
      if (left-- > 0) return client.call(now);
    }
    busy -= 1;
    if (busy === 0) resolve();
  };
  const opening = { pending: job, latency, responded, failed: reject };
  const clients = await Promise.all(Array.from({ length: job.connections }, () => openClient(opening)));
  const startUs = monotonicUs();
  endUs = startUs + job.seconds * 1_000_000;
  for (const client of clients) client.call(startUs);
  await promise.finally(() => {
    for (const client of clients) client.close();
  });
  const seconds = Math.min(job.seconds, (monotonicUs() - startUs) / 1e6);
  return { requests: latency.count, inTime, seconds, latencyMs: latency.values() };
}

const fewConnections = 16;
const maxConnections = 1_000;

/**
 * Sends at a constant rate whatever the responses do. Latency counts from when a request was due, so
 * a stall is charged to all the requests it delayed and not just to one.
 */
export async function runConstantRate(
  job: RequestSchedule & { readonly perSecond: number; readonly seconds: number },
): Promise<JsonResult> {
  const latency = new Samples();
  const count = Math.round(job.perSecond * job.seconds);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const all: Client[] = [];
  // First in, first out: every connection is used often enough that no server closes it for being
  // idle.
  const idle: Client[] = [];
  const responded = (client: Client) => {
    idle.push(client);
    if (latency.count === count) resolve();
  };
  const opening = { pending: job, latency, responded, failed: reject };
  const open = async () => {
    if (all.length >= maxConnections) throw new Error(`${maxConnections} requests have no response`);
    const client = await openClient(opening);
    all.push(client);
    return client;
  };
  for (let index = 0; index < fewConnections; index++) idle.push(await open());
  const ticker = new Worker(new URL("./ticker.ts", import.meta.url), {
    workerData: { perSecond: job.perSecond, count },
  });
  ticker.on("error", reject);
  ticker.on("message", (dueUs: number) => {
    const client = idle.shift();
    if (client !== undefined) client.call(dueUs);
    else open().then((opened) => opened.call(dueUs), reject);
  });
  await promise.finally(async () => {
    for (const client of all) client.close();
    await ticker.terminate();
  });
  return { requests: count, inTime: count, seconds: job.seconds, latencyMs: latency.values() };
}
