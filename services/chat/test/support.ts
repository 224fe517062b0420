import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Admission, AdmitRequest, Admitted, Settlement } from "@uag/admission/types.ts";
import { createContext } from "@uag/capability/context.ts";
import { openLinkListener } from "@uag/capability/link-listener.ts";
import { handlersOf } from "@uag/capability/operation/operation.ts";
import { parseCatalog } from "@uag/catalog/parse.ts";
import { type BufferBudget, type BufferLimits, defaultBufferLimits } from "@uag/kit/buffer-budget.ts";
import { createLogger } from "@uag/kit/log.ts";
import { createMetrics } from "@uag/kit/metrics.ts";
import { insecure } from "@uag/kit/rpc/identity.ts";
import { createLinkClient } from "@uag/link/client.ts";
import { dialGrpc } from "@uag/link/grpc-client.ts";
import { ResponseStream } from "@uag/link/response-stream.ts";
import { createLinkServer } from "@uag/link/server.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import type { Unit } from "@uag/proto/metering/v1/usage.ts";
import type { Drains } from "@uag/upstreams/disconnect/drains.ts";
import { chatContext } from "../src/context.ts";
import { operations } from "../src/operations.ts";

/** A request that reached the upstream. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly json: Record<string, unknown>;
  /** Resolves when the gateway closes the connection before the answer's end. */
  readonly left: Promise<void>;
}

export type Script = (requested: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

export interface TestUpstream extends AsyncDisposable {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** How each request is answered; replaced by tests. */
  script: Script;
}

export async function startUpstream(script: Script): Promise<TestUpstream> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const left = new Promise<void>((resolve) => response.once("close", () => !response.writableFinished && resolve()));
    const one = { path: request.url ?? "", headers: request.headers, text, json: JSON.parse(text), left };
    received.push(one);
    await upstream.script(one, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstream: TestUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    script,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}

/** What a request came to in {@link TestAdmission}. */
export interface Booked {
  readonly request: AdmitRequest;
  readonly checkpoints: { units: Unit[]; costNanoUsd: bigint }[];
  settlement: Settlement | undefined;
  /** Its slot of concurrency was freed before its bill. */
  left?: boolean;
}

/** Admits everything and remembers it; tests replace the hooks. */
export class TestAdmission implements Admission {
  readonly booked: Booked[] = [];
  onAdmit: (request: AdmitRequest) => void = () => {};
  started: () => Promise<void> = async () => {};
  settling: () => Promise<void> = async () => {};
  readonly check = async () => ({ ok: true as const });

  async admit(request: AdmitRequest): Promise<Admitted> {
    this.onAdmit(request);
    const booked: Booked = { request, checkpoints: [], settlement: undefined };
    this.booked.push(booked);
    return {
      started: this.started(),
      clientLeft: () => {
        booked.left = true;
      },
      headers: ["x-ratelimit-limit-requests", "60"],
      checkpoint: (units, costNanoUsd) => void booked.checkpoints.push({ units, costNanoUsd }),
      settle: async (settlement) => {
        if (booked.settlement !== undefined) throw new Error("settled twice");
        booked.settlement = settlement;
        await this.settling();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

export interface ReceivedResponse {
  readonly status: number;
  header(name: string): string | undefined;
  readonly text: string;
  readonly json: () => Record<string, unknown>;
}

export interface ChatHarness extends AsyncDisposable {
  readonly admission: TestAdmission;
  /** Opens an exchange of an operation as the router does. */
  open(operation: string, body: string | Buffer | undefined, options?: CallOptions): ResponseStream;
  call(operation: string, body: unknown, options?: CallOptions): Promise<ReceivedResponse>;
  /** Opens an exchange whose body is yet to come. */
  begin(operation: string, options?: CallOptions): ResponseStream;
  readonly buffers: BufferBudget;
}

export interface CallOptions {
  readonly account?: string;
  readonly models?: string[];
  readonly target?: string;
  readonly headers?: string[];
}

/** The operations of chat behind a real link, with an admission of our own. */
export async function startChat(options: {
  catalog: string;
  env?: NodeJS.ProcessEnv;
  drains?: Drains;
  bufferLimits?: BufferLimits;
  egressAllow?: readonly string[];
}): Promise<ChatHarness> {
  await using starting = new AsyncDisposableStack();
  const admission = new TestAdmission();
  const current = parseCatalog(options.catalog, options.env ?? {});
  const log = createLogger({ service: "chat-test", level: process.env["TEST_LOG"] ?? "silent" });
  const catalog = { current, [Symbol.dispose]: () => {} };
  const metrics = createMetrics("chat-test");
  const { drains, bufferLimits = defaultBufferLimits, egressAllow = [] } = options;
  const parts = { name: "chat", catalog, admission, log, metrics, egressAllow, bufferLimits };
  const context = chatContext({ ...starting.use(createContext(parts)), ...(drains !== undefined && { drains }) });
  const link = createLinkServer({
    operations: handlersOf(operations(context)),
    log: (event, { error }) => log.error({ err: error }, event),
  });
  const listener = starting.use(
    await openLinkListener({ identity: insecure, link, host: "127.0.0.1", port: 0, drainMs: 2_000 }),
  );
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [`127.0.0.1:${listener.port}`] });
  starting.defer(() => client.close({ timeoutMs: 100 }));
  await client.ready();
  let ids = 0;
  const request = (operation: string, options: CallOptions = {}) => {
    const { account = "acc_1", models = [] } = options;
    const caller = Caller.fromPartial({ keyId: "key_1", accountId: account, models });
    return {
      operation,
      requestId: `req_${++ids}`,
      target: options.target ?? "/v1/chat/completions",
      headers: options.headers ?? ["content-type", "application/json"],
      context: Buffer.from(Caller.encode(caller).finish()),
    };
  };
  const open: ChatHarness["open"] = (operation, body, options) => {
    const call = { ...request(operation, options), bodyless: body === undefined };
    return ResponseStream.open(client, call, body === undefined ? undefined : Buffer.from(body));
  };
  const running = starting.move();
  return {
    admission,
    open,
    begin: (operation, options) => ResponseStream.open(client, { ...request(operation, options), bodyless: false }),
    buffers: context.buffers,
    async call(operation, body, options) {
      const bytes =
        body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      const stream = open(operation, bytes, options);
      const { status, headers } = await stream.head;
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of stream) chunks.push(chunk);
      } catch (error) {
        chunks.push(Buffer.from(`<cut: ${(error as Error).message}>`));
      }
      const text = Buffer.concat(chunks).toString("utf8");
      return {
        status,
        header: (name) => (headers.includes(name) ? headers[headers.indexOf(name) + 1] : undefined),
        text,
        json: () => JSON.parse(text) as Record<string, unknown>,
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Waits until a condition holds. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !condition(); ) {
    if (Date.now() > deadline) throw new Error(`it did not happen within 10 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
