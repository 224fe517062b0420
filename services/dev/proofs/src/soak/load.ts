import { setTimeout as sleep } from "node:timers/promises";
import type { TestClient, TestRequest } from "@uag/harness/fleet/client";

/**
 * `disconnect`: a stream whose client disconnects; `abort`: any response, aborted at any moment,
 * even before its first byte; `retry`: resent under one idempotency key until it gets a response.
 */
export type RequestKind = "json" | "stream" | OwnModelKind | "disconnect" | "abort" | "retry";

/** Kinds with a model of their own: other client formats. */
type OwnModelKind = "messages" | "gemini" | "vectors";
const ownModelKinds: ReadonlySet<RequestKind> = new Set<OwnModelKind>(["messages", "gemini", "vectors"]);
export const hasOwnModel = (kind: RequestKind): boolean => ownModelKinds.has(kind);

export interface LoadOptions {
  readonly clients: readonly TestClient[];
  readonly kinds: readonly RequestKind[];
  /** Concurrent requests. */
  readonly concurrency: number;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** For all kinds without a model of their own. */
  readonly model?: string;
  /** Fields that override those of each request. */
  readonly body?: object;
  /** Number of requests; without it, ends at `stop`. */
  readonly requests?: number;
  /** Maximum rate; without it, as many as `concurrency` allows. */
  readonly perSecond?: number;
  /** Called for every response. */
  readonly seen?: (response: LoadResponse) => void;
}

/** What a client saw of one request. */
export interface LoadResponse {
  /** Empty when not even the head arrived. */
  readonly requestId: string;
  /**
   * `completed`: received completely; `aborted`: aborted by the client; `broken`: ended early; else
   * status and code, e.g. `429 rate_limit_exceeded`.
   */
  readonly outcome: string;
  /** Unix milliseconds. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly headers: Headers | undefined;
  /** The client library's error, if the connection failed. */
  readonly failure?: string;
  /** The upstream's token count for JSON responses; else 0. */
  readonly tokens: number;
}

/** A chat completion. */
interface ChatBody {
  readonly messages: readonly { readonly content: string }[];
}

type SendRequest = (client: TestClient, body: ChatBody, random: () => number) => Promise<Seen>;
type Seen = Pick<LoadResponse, "outcome" | "headers" | "failure"> & { readonly tokens?: number };

const delayAfterFailureMs = 50;
/** Maximum backlog that a load behind its rate catches up on. */
const maxBehindMs = 1_000;
/** Longer than the idempotency key of a killed process stays locked. */
const maxTries = 200;
/**
 * The outcome of a retry whose first run was billed by a process that died before it stored the
 * response.
 */
export const receipt = "receipt";
const completions = "/v1/chat/completions";
const generatePath = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse";
const embedPath = "/v1/models/text-embedding-3-small:embedContent";

const streamed = (body: ChatBody): object => ({ ...body, stream: true });

/** The prompt in Gemini's format. */
const contentOf = ({ messages }: ChatBody): object => ({
  role: "user",
  parts: messages.map(({ content: text }) => ({ text })),
});

/** The reason of a fetch error is in its cause. */
function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${String(error.cause)})` : "";
  return `${String(error)}${cause}`;
}

function refusalOf(status: number, text: string): string {
  try {
    const { error } = JSON.parse(text) as { error: { code?: string; type?: string } };
    return `${status} ${error.code ?? error.type}`;
  } catch {
    return `${status} without JSON`;
  }
}

async function requestWhole(client: TestClient, path: string, body: object, request?: TestRequest): Promise<Seen> {
  const { status, headers, text } = await client.post(path, body, request);
  if (status !== 200) return { outcome: refusalOf(status, text), headers };
  const { usage } = JSON.parse(text) as { usage?: { total_tokens?: number } };
  return { outcome: "completed", headers, tokens: usage?.total_tokens ?? 0 };
}

/** Reads a stream to its end, or disconnects after `max` events. */
async function requestStream(client: TestClient, path: string, body: object, max?: number): Promise<Seen> {
  const response = await client.stream(path, body);
  const { status, headers, events } = response;
  if (status !== 200) return { outcome: refusalOf(status, await response.text()), headers };
  let [count, done] = [0, false];
  for await (const { data, event } of events) {
    done ||= data === "[DONE]" || event === "message_stop" || data.includes('"finishReason":');
    // Leaving the loop before the stream ends closes the connection.
    if (++count === max) return { outcome: "aborted", headers };
  }
  return { outcome: done ? "completed" : "broken", headers };
}

/** Aborts at a random moment within a tenth of a second. */
async function abort(client: TestClient, body: object, random: () => number): Promise<Seen> {
  const signal = AbortSignal.timeout(Math.floor(random() * 100));
  const streamed = random() < 0.5;
  try {
    const response = await client.post(completions, { ...body, stream: streamed }, { signal });
    return {
      outcome: response.status === 200 ? "completed" : refusalOf(response.status, response.text),
      headers: response.headers,
    };
  } catch (error) {
    if (signal.aborted) return { outcome: "aborted", headers: undefined };
    throw error;
  }
}

async function requestAgain(client: TestClient, body: object, random: () => number): Promise<Seen> {
  const headers = { "idempotency-key": `load-${random()}-${random()}` };
  for (let tries = 1; ; tries++) {
    const seen = await requestWhole(client, completions, body, { headers }).catch(() => undefined);
    if (seen?.outcome === "409 idempotency_result_lost") return { ...seen, outcome: receipt };
    const again = seen === undefined || /^(409|5\d\d)/.test(seen.outcome);
    if (!again || tries === maxTries) return seen ?? { outcome: "broken", headers: undefined };
    await sleep(delayAfterFailureMs * 4);
  }
}

const requests: Readonly<Record<RequestKind, SendRequest>> = {
  json: (client, body) => requestWhole(client, completions, body),
  stream: (client, body) => requestStream(client, completions, streamed(body)),
  messages: (client, body) =>
    requestStream(client, "/v1/messages", { ...streamed(body), model: "claude-sonnet-4-6", max_tokens: 64 }),
  gemini: (client, body) => requestStream(client, generatePath, { contents: [contentOf(body)] }),
  vectors: (client, body) => requestWhole(client, embedPath, { content: contentOf(body) }),
  disconnect: (client, body, random) =>
    requestStream(client, completions, streamed(body), 1 + Math.floor(random() * 6)),
  abort,
  retry: requestAgain,
};

/** Concurrent requests of mixed kinds through the public server, and their results. */
export class Load {
  readonly responses: LoadResponse[] = [];
  readonly #options: LoadOptions;
  readonly #working: Promise<unknown>;
  #left: number;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  /** By outcome. */
  readonly counts = new Map<string, number>();

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#left = options.requests ?? Number.POSITIVE_INFINITY;
    this.#working = Promise.all(Array.from({ length: options.concurrency }, (_, worker) => this.#work(worker)));
  }

  get completed(): number {
    return this.counts.get("completed") ?? 0;
  }

  async #work(worker: number): Promise<void> {
    const { clients, kinds, random } = this.#options;
    for (let n = worker; this.#left-- > 0; n++) {
      await this.#waitForTurn();
      const kind = kinds[n % kinds.length] as RequestKind;
      const client = clients[(n + worker) % clients.length] as TestClient;
      const response = await this.#call(requests[kind], client, random);
      this.responses.push(response);
      this.counts.set(response.outcome, (this.counts.get(response.outcome) ?? 0) + 1);
      this.#options.seen?.(response);
      if (response.outcome === "broken" || response.outcome.startsWith("5")) await sleep(delayAfterFailureMs);
    }
  }

  /** Waits until the rate allows one more request. */
  async #waitForTurn(): Promise<void> {
    const { perSecond } = this.#options;
    if (perSecond === undefined) return;
    const now = performance.now();
    const atMs = Math.max(this.#nextAtMs, now - maxBehindMs);
    this.#nextAtMs = atMs + 1_000 / perSecond;
    if (atMs > now) await sleep(atMs - now);
  }

  async #call(call: SendRequest, client: TestClient, random: () => number): Promise<LoadResponse> {
    const startedAtMs = Date.now();
    const content = `repeat ${4 + Math.floor(random() * 30)} words ${random()}`;
    const { model = "gpt-4o-mini", body = {} } = this.#options;
    const requested = { model, messages: [{ role: "user", content }], ...body };
    const seen = await call(client, requested, random).catch(
      (error: unknown): Seen => ({ outcome: "broken", headers: undefined, failure: describe(error) }),
    );
    const requestId = seen.headers?.get("x-request-id") ?? "";
    return { tokens: 0, ...seen, requestId, startedAtMs, endedAtMs: Date.now() };
  }

  /** Starts no more requests and waits for those in flight. */
  async stop(): Promise<void> {
    this.#left = 0;
    await this.#working;
  }

  /** Waits until all requests have ended. */
  async ended(): Promise<void> {
    await this.#working;
  }
}
