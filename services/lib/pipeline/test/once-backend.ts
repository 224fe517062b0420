import { parseCatalog } from "@uag/catalog/parse";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { createLinkClient } from "@uag/link/client";
import { dialGrpc } from "@uag/link/grpc-client";
import { ResponseStream } from "@uag/link/response-stream";
import { createLinkServer } from "@uag/link/server";
import type { LinkExchange } from "@uag/link/server-exchange";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { UpstreamHealth } from "@uag/providers/health";
import { RetryBudget } from "@uag/providers/retry-budget";
import { newId } from "@uag/runtime/ids";
import { keyringOf } from "@uag/runtime/keyring";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { insecure } from "@uag/runtime/rpc/identity";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import type { Admission, AdmitRequest, Admitted, FreeAdmission, FreeAdmitted, Settlement } from "@uag/usage/types";
import { createConnection } from "mongoose";
import { AboveHold } from "../src/above-hold.ts";
import type { UsageCharge } from "../src/bill.ts";
import { type CapabilityEvents, createEvents } from "../src/events.ts";
import { withIdempotency } from "../src/idempotency/idempotency.ts";
import { ResponseBox } from "../src/idempotency/response-box.ts";
import { Runs } from "../src/idempotency/runs.ts";
import { IdempotencyStore } from "../src/idempotency/store.ts";
import { openLinkListener } from "../src/link-listener.ts";
import { jsonBody } from "../src/operation/body-reader.ts";
import { defineOperation } from "../src/operation/define-operation.ts";
import { PartialFailure } from "../src/operation/partial-failure.ts";

export const testBox = new ResponseBox(keyringOf("5a".repeat(32)));

/** Makes the leases of all unfinished runs in a database expire at once. */
export async function lapseRuns({ url, database }: { url: string; database: string }): Promise<void> {
  const connection = await createConnection(url, { dbName: database }).asPromise();
  const past = { leaseUntil: new Date(Date.now() - 1) };
  const { matchedCount } = await connection
    .collection("runs")
    .updateMany({ state: { $in: ["claimed", "started"] } }, { $set: past });
  await connection.close();
  if (matchedCount === 0) throw new Error("no unfinished run has a lease to expire");
}

/** Admits everything and records the bills; a recorded bill counts as applied in metering. */
export class TestBooks {
  readonly bills = new Map<string, Settlement>();
  /** The disk refuses bills: a stream's is written later, a non-streamed response's is void. */
  full = false;
  readonly admission: Admission = {
    admit: async (request: AdmitRequest): Promise<Admitted> => ({
      flushStarted: async () => {},
      headers: [],
      clientLeft: () => {},
      checkpoint: () => {},
      settle: async (settlement) => {
        if (this.bills.has(request.requestId)) throw new Error("settled twice");
        if (!this.full || request.stream) this.bills.set(request.requestId, settlement);
        if (this.full) throw new GatewayError("service_unavailable");
      },
    }),
  };

  /** The costs of all requests that were not free. */
  get costs(): bigint[] {
    return [...this.bills.values()].map(({ costNanoUsd }) => costNanoUsd).filter((cost) => cost > 0n);
  }
}

export interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  header(name: string): string | undefined;
}

/** An upstream's handling of a request; its response is sent after it was billed. */
type Upstream = (exchange: LinkExchange) => Promise<{ status: number; text: string; costNanoUsd: bigint }>;

export interface Replica extends AsyncDisposable {
  /** How often an upstream was called. */
  readonly received: () => number;
  readonly runs: Runs;
  upstream: Upstream;
  /** Whether requests are streamed. */
  stream: boolean;
  /** Counts replayed responses. */
  admitFree: (request: Parameters<FreeAdmission["admitFree"]>[0]) => FreeAdmitted;
  call(key: string, caller?: { keyId?: string; models?: string[] }): Promise<ReceivedResponse>;
}

export interface ReplicaOptions {
  readonly url: string;
  readonly database: string;
  readonly books: TestBooks;
  readonly leaseMs: number;
  /** Default: a third of the lease. */
  readonly renewMs?: number;
  readonly box?: ResponseBox | undefined;
}

const catalog = parseCatalog(
  `providers: { p: { protocol: openai, base_url: "http://127.0.0.1:1/v1", api_key: k } }
models: [{ id: m, owned_by: o, created: 0, operations: [chat.completions], context_tokens: 1000, max_output_tokens: 10, price: { input_tokens: 0.001, output_tokens: 0.001 }, upstreams: [{ provider: p }] }]`,
  {},
);

/** One token costs one nano-USD. */
const chargeOf = (costNanoUsd: bigint): UsageCharge => ({ units: [{ name: "input_tokens", quantity: costNanoUsd }] });

/** An operation whose upstream is the test. */
function paidOperation(
  admission: Admission,
  shared: { events: CapabilityEvents; buffers: BufferBudget },
  { upstream, streams }: { upstream: Upstream; streams(): boolean },
) {
  const context = {
    ...shared,
    admission,
    budget: new RetryBudget(),
    catalog: { current: catalog, [Symbol.dispose]: () => {} },
    health: new UpstreamHealth(),
    tracing: undefined,
    inferenceMetrics: undefined,
  };
  return defineOperation(context, {
    name: "chat.completions",
    body: jsonBody(),
    modelOf: () => "m",
    read: () => undefined,
    size: () => ({ holdNanoUsd: 10_000_000n, tokens: 1 }),
    streams,
    call: ({ exchange }) => upstream(exchange),
    respond({ model: { upstreams } }, { status, text, costNanoUsd }) {
      const paid = { upstream: upstreams[0], attempts: 1 };
      const charge = chargeOf(costNanoUsd);
      if (status !== 200) {
        const owed = { ...charge, outcome: Outcome.FAILED };
        throw new PartialFailure(new GatewayError("upstream_error"), { ...paid, owed });
      }
      const headers = ["content-type", "text/plain", "x-ratelimit-remaining-requests", "9"];
      return { kind: "unary", ...paid, charge, headers, body: Buffer.from(text) };
    },
  });
}

/** One replica of a service whose only operation costs money, behind a real link. */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, database, books, leaseMs, renewMs = leaseMs / 3 } = options;
  const box = "box" in options ? options.box : testBox;
  await using starting = new AsyncDisposableStack();
  const log = createLogger({ service: "once-test", level: process.env["TEST_LOG"] ?? "silent" });
  const store = starting.use(new IdempotencyStore({ url, database, leaseMs, lifeMs: 60_000, box }));
  const runs = starting.use(new Runs());
  const events = createEvents(log, createMetrics("test"), new AboveHold());
  let calls = 0;
  const upstream: Upstream = (exchange) => {
    calls++;
    return replica.upstream(exchange);
  };
  const findBill = async ({ requestId }: { requestId: string }) => books.bills.get(requestId);
  const buffers = new BufferBudget();
  const admitFree: FreeAdmission["admitFree"] = async (request) => replica.admitFree(request);
  const operations = withIdempotency(
    { embeddings: paidOperation(books.admission, { events, buffers }, { upstream, streams: () => replica.stream }) },
    { store, runs, findBill, admitFree, catalog: { current: { models: new Map() } }, events, log, buffers, renewMs },
  );
  const link = createLinkServer({ operations });
  const listener = starting.use(
    await openLinkListener({ identity: insecure, link, host: "127.0.0.1", port: 0, drainMs: 500 }),
  );
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [`127.0.0.1:${listener.port}`] });
  starting.defer(() => client.close({ timeoutMs: 100 }));
  await client.ready();
  const running = starting.move();
  const replica: Replica = {
    runs,
    admitFree: () => ({ headers: ["x-ratelimit-remaining-requests", "7"], [Symbol.dispose]: () => {} }),
    received: () => calls,
    stream: false,
    upstream: async () => ({ status: 200, text: "answer", costNanoUsd: 1_000n }),
    async call(key, { keyId = "key", models = [] } = {}) {
      const context = Buffer.from(Caller.encode(Caller.fromPartial({ accountId: "acct", keyId, models })).finish());
      const headers = ["content-type", "application/json", "idempotency-key", key];
      const call = {
        operation: "embeddings",
        requestId: newId("req"),
        target: "/v1/x",
        headers,
        context,
        bodyless: false,
      };
      const stream = ResponseStream.open(client, call, Buffer.from("{}"));
      const { status, headers: got } = await stream.head;
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const header = (name: string) => (got.includes(name) ? got[got.indexOf(name) + 1] : undefined);
      return { status, text: Buffer.concat(chunks).toString(), header };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
  return replica;
}
