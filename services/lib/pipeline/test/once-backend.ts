import { GatewayError } from "@uag/contract/errors/gateway-error";
import { createLinkClient } from "@uag/link/client";
import { dialGrpc } from "@uag/link/grpc-client";
import { ResponseStream } from "@uag/link/response-stream";
import { createLinkServer, type LinkHandler } from "@uag/link/server";
import type { LinkExchange } from "@uag/link/server-exchange";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome, Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import { newId } from "@uag/runtime/ids";
import { keyringOf } from "@uag/runtime/keyring";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { insecure } from "@uag/runtime/rpc/identity";
import { BufferBudget } from "@uag/untrusted/buffer-budget";
import type { Admission, AdmitRequest, Admitted, FreeAdmission, FreeAdmitted, Settlement } from "@uag/usage/types";
import { createConnection } from "mongoose";
import { AboveHold } from "../src/above-hold.ts";
import { clientErrorOf } from "../src/client-error.ts";
import { createEvents } from "../src/events.ts";
import { withIdempotency } from "../src/idempotency/idempotency.ts";
import { ResponseBox } from "../src/idempotency/response-box.ts";
import { Runs } from "../src/idempotency/runs.ts";
import { IdempotencyStore } from "../src/idempotency/store.ts";
import { openLinkListener } from "../src/link-listener.ts";
import { nestedErrors } from "../src/nested-error.ts";
import { respondError } from "../src/respond-error.ts";

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
      started: Promise.resolve(),
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
export type Upstream = (exchange: LinkExchange) => Promise<{ status: number; text: string; costNanoUsd: bigint }>;

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

/** One replica of a service whose only operation costs money, behind a real link. */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, database, books, leaseMs, renewMs = leaseMs / 3 } = options;
  const box = "box" in options ? options.box : testBox;
  await using starting = new AsyncDisposableStack();
  const log = createLogger({ service: "once-test", level: process.env["TEST_LOG"] ?? "silent" });
  const store = starting.use(new IdempotencyStore({ url, database, leaseMs, lifeMs: 60_000, box }));
  const runs = starting.use(new Runs());
  const events = createEvents(log, createMetrics("test"), new AboveHold());
  const admission = runs.reporting(books.admission);
  let calls = 0;
  const paid: LinkHandler = async (exchange) => {
    try {
      await pay(exchange, { admission, stream: replica.stream }, () => {
        calls++;
        return replica.upstream(exchange);
      });
    } catch (thrown) {
      const clientError = clientErrorOf(thrown, exchange.requestId);
      respondError(exchange, clientError, { events, format: nestedErrors, headers: [] });
    }
  };
  const findBill = async ({ requestId }: { requestId: string }) => books.bills.get(requestId);
  const buffers = new BufferBudget();
  const admitFree: FreeAdmission["admitFree"] = async (request) => replica.admitFree(request);
  const operations = withIdempotency(
    { embeddings: { handler: paid, errorFormat: async () => nestedErrors } },
    { store, runs, findBill, admitFree, events, log, buffers, renewMs },
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

async function pay(
  exchange: LinkExchange,
  { admission, stream }: { admission: Admission; stream: boolean },
  upstream: () => ReturnType<Upstream>,
): Promise<void> {
  const { requestId } = exchange;
  const caller = Caller.decode(exchange.context);
  const common = { requestId, caller, operation: "embeddings", model: "m", priceVersion: "1", stream };
  const admitted = await admission.admit({ ...common, holdNanoUsd: 1_000n, tokens: 1 });
  const { status, text, costNanoUsd } = await upstream();
  await admitted.settle({
    outcome: Outcome.COMPLETED,
    settlementRule: SettlementRule.COMPLETED,
    pricing: Pricing.EXACT,
    units: [],
    costNanoUsd,
    upstream: "u",
    upstreamModel: "m",
    rawUsage: Buffer.alloc(0),
    attempts: 1,
    failedAttempts: [],
    status,
  });
  exchange.respond(status, ["content-type", "text/plain", "x-ratelimit-remaining-requests", "9"], Buffer.from(text));
}
