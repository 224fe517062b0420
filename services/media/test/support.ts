import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Admission, AdmitRequest, Admitted, Settlement } from "@uag/admission/types.ts";
import { createContext } from "@uag/capability/context.ts";
import { openLinkListener } from "@uag/capability/link-listener.ts";
import { handlersOf } from "@uag/capability/operation/operation.ts";
import { parseCatalog } from "@uag/catalog/parse.ts";
import type { BufferBudget } from "@uag/kit/buffer-budget.ts";
import { createLogger } from "@uag/kit/log.ts";
import { createMetrics } from "@uag/kit/metrics.ts";
import { insecure } from "@uag/kit/rpc/identity.ts";
import { createLinkClient } from "@uag/link/client.ts";
import { dialGrpc } from "@uag/link/grpc-client.ts";
import { ResponseStream } from "@uag/link/response-stream.ts";
import { createLinkServer } from "@uag/link/server.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { Drains } from "@uag/upstreams/disconnect/drains.ts";
import { operations } from "../src/operations.ts";

/** A request that reached the upstream. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  json(): Record<string, unknown>;
  /** Resolves when the gateway closes the connection before the answer's end. */
  readonly left: Promise<void>;
}

export interface TestUpstream extends AsyncDisposable {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** How each request is answered; replaced by tests. */
  script: (requested: ReceivedRequest, response: ServerResponse) => void | Promise<void>;
}

export async function startUpstream(): Promise<TestUpstream> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const left = new Promise<void>((resolve) => response.once("close", () => !response.writableFinished && resolve()));
    const json = (): Record<string, unknown> => JSON.parse(body.toString("utf8"));
    const one: ReceivedRequest = { path: request.url ?? "", headers: request.headers, body, json, left };
    received.push(one);
    await upstream.script(one, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstream: TestUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    script: () => {},
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
  settlement: Settlement | undefined;
}

/** Admits everything and remembers it; tests replace the hooks. */
export class TestAdmission implements Admission {
  readonly booked: Booked[] = [];
  onAdmit: (request: AdmitRequest) => void = () => {};
  settling: () => Promise<void> = async () => {};
  readonly check = async () => ({ ok: true as const });

  async admit(request: AdmitRequest): Promise<Admitted> {
    this.onAdmit(request);
    const booked: Booked = { request, settlement: undefined };
    this.booked.push(booked);
    return {
      started: Promise.resolve(),
      headers: ["x-ratelimit-limit-requests", "60"],
      checkpoint: () => {},
      clientLeft: () => {},
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
  readonly body: Buffer;
  json(): Record<string, unknown>;
}

export interface MediaHarness extends AsyncDisposable {
  readonly admission: TestAdmission;
  /** Files handed to the asset store, by the URLs they got. */
  readonly hosted: Map<string, { contentType: string; bytes: Buffer }>;
  readonly buffers: BufferBudget;
  open(operation: string, body: Buffer, contentType?: string): ResponseStream;
  call(operation: string, body: unknown, contentType?: string): Promise<ReceivedResponse>;
}

/** The operations of media behind a real link, with an admission and an asset store of our own. */
export async function startMedia(
  catalogText: string,
  egressAllow: string[],
  drains = new Drains(),
): Promise<MediaHarness> {
  await using starting = new AsyncDisposableStack();
  const admission = new TestAdmission();
  const current = parseCatalog(catalogText, {});
  const log = createLogger({ service: "media-test", level: process.env["TEST_LOG"] ?? "silent" });
  const catalog = { current, [Symbol.dispose]: () => {} };
  const metrics = createMetrics("media-test");
  const context = starting.use(createContext({ name: "media", catalog, admission, log, metrics, egressAllow }));
  const hosted: MediaHarness["hosted"] = new Map();
  const assets = {
    async host(contentType: string, body: AsyncIterable<Buffer>) {
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const url = `https://door.test/assets/${hosted.size + 1}`;
      hosted.set(url, { contentType, bytes });
      return { url, size: bytes.length, expiresAtMs: 0 };
    },
  };
  const link = createLinkServer({
    operations: handlersOf(operations({ ...context, drains, assets })),
    log: (event, { error }) => log.error({ err: error }, event),
  });
  const listener = starting.use(
    await openLinkListener({ identity: insecure, link, host: "127.0.0.1", port: 0, drainMs: 2_000 }),
  );
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [`127.0.0.1:${listener.port}`] });
  starting.defer(() => client.close({ timeoutMs: 100 }));
  await client.ready();
  let ids = 0;
  const open: MediaHarness["open"] = (operation, body, contentType = "application/json") => {
    const caller = Caller.fromPartial({ keyId: "key_1", accountId: "acc_1" });
    const call = {
      operation,
      requestId: `req_${++ids}`,
      target: "/v1/images",
      headers: ["content-type", contentType],
      context: Buffer.from(Caller.encode(caller).finish()),
      bodyless: false,
    };
    return ResponseStream.open(client, call, body);
  };
  const running = starting.move();
  return {
    admission,
    hosted,
    buffers: context.buffers,
    open,
    async call(operation, body, contentType) {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
      const stream = open(operation, bytes, contentType);
      const { status, headers } = await stream.head;
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of stream) chunks.push(chunk);
      } catch (error) {
        chunks.push(Buffer.from(`<cut: ${(error as Error).message}>`));
      }
      const whole = Buffer.concat(chunks);
      return {
        status,
        header: (name) => (headers.includes(name) ? headers[headers.indexOf(name) + 1] : undefined),
        body: whole,
        json: () => JSON.parse(whole.toString("utf8")) as Record<string, unknown>,
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
