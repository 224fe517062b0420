import { parseCatalog } from "@uag/catalog/parse";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { unlimitedFetches } from "@uag/harness/unlimited-fetches";
import { createLinkClient } from "@uag/link/client";
import { dialGrpc } from "@uag/link/grpc-client";
import { ResponseStream } from "@uag/link/response-stream";
import { createLinkServer } from "@uag/link/server";
import { createContext } from "@uag/pipeline/context";
import { openLinkListener } from "@uag/pipeline/link-listener";
import { handlersOf } from "@uag/pipeline/operation/operation";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { readConfig } from "@uag/runtime/config";
import { newId } from "@uag/runtime/ids";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { insecure } from "@uag/runtime/rpc/identity";
import type { Admission, AdmitTask, TaskAdmission, TaskGrant } from "@uag/usage/types";
import { schema } from "../src/config.ts";
import { buildVideo } from "../src/service.ts";

/**
 * Billing as tasks see it: grants and bills by request, each once. Shared by the replicas of a
 * test.
 */
export class TestBooks {
  readonly grants = new Map<string, AdmitTask>();
  readonly bills = new Map<string, UsageEvent>();
  /** Number of bills received again. */
  repeats = 0;
  /** Number of bills received again with different content. */
  conflicts = 0;
  /** Called around each settlement; may throw, like a connection that breaks before or after. */
  disturb: (when: "before" | "after") => void = () => {};
  refuse: GatewayError | undefined;
  /** What the envelopes of every key leave, nano-USD. */
  envelopeRemaining: bigint | undefined;
  /** Refuses the grants of recovered tasks while set. */
  refuseGrants: GatewayError | undefined;
  /** Makes settling fail while set. */
  away = false;

  readonly admission: TaskAdmission = {
    admitTask: async (task) => this.#hold(task),
    findTaskGrant: async (task) => {
      if (this.refuseGrants !== undefined) throw this.refuseGrants;
      return this.#hold(task).id;
    },
    settleTask: async (event) => {
      if (this.away) throw new GatewayError("service_unavailable");
      this.disturb("before");
      const known = this.bills.get(event.requestId);
      if (known === undefined) this.bills.set(event.requestId, event);
      else this.repeats++;
      if (known !== undefined && known.costNanoUsd !== event.costNanoUsd) this.conflicts++;
      this.disturb("after");
    },
  };

  #hold(task: AdmitTask): TaskGrant {
    if (this.refuse !== undefined) throw this.refuse;
    this.grants.set(task.requestId, task);
    return { id: `gr_${task.requestId}`, envelopeRemaining: this.envelopeRemaining };
  }

  /** Grants of tasks that have no bill yet. */
  get open(): string[] {
    return [...this.grants.keys()].filter((requestId) => !this.bills.has(requestId));
  }
}

const models = [
  ["beta2.6-t2v", "wan2.6-t2v", "720p: 0.1, 1080p: 0.15"],
  ["beta2.7-t2v", "wan2.7-t2v", "720p: 0.1"],
] as const;

/** The catalogue of a provider at each of these URLs. */
export function catalogOf(urls: readonly string[]): string {
  const providers = urls.map((url, n) => `  p${n}: { protocol: dashscope, base_url: "${url}", api_key: sk-test }`);
  const upstreams = (model: string): string =>
    urls.map((_, n) => `{ provider: p${n}, model: ${model}, priority: ${n} }`).join(", ");
  const rows = models.map(
    ([id, model, price]) => `
  - id: ${id}
    owned_by: test
    created: 2026-01-01
    operations: [videos.generations]
    output: [video]
    price: { video_seconds: { ${price} } }
    upstreams: [${upstreams(model)}]`,
  );
  return `providers:\n${providers.join("\n")}\nmodels:${rows.join("")}\n`;
}

interface ReceivedResponse {
  readonly status: number;
  header(name: string): string | undefined;
  readonly text: string;
  json<T = Record<string, unknown>>(): T;
}

interface CallOptions {
  readonly accountId?: string;
  readonly headers?: readonly string[];
  readonly query?: string;
  readonly id?: string;
  readonly requestId?: string;
  /** Who calls, for a key with limits of its own. */
  readonly caller?: Caller;
}

export interface Replica extends AsyncDisposable {
  /** Its metrics, as Prometheus reads them. */
  metrics(): Promise<string>;
  call(operation: string, body?: unknown, options?: CallOptions): Promise<ReceivedResponse>;
}

export interface ReplicaOptions {
  readonly at: { url: string; database: string };
  readonly books: Pick<TestBooks, "admission">;
  /** Base URLs of providers, in the order in which they are tried. */
  readonly providers: readonly string[];
  /** In place of a catalogue of these providers. */
  readonly catalog?: string;
  readonly env?: NodeJS.ProcessEnv;
}

const noAdmission: Admission = {
  admit: async () => {
    throw new Error("tasks are not admitted as requests");
  },
};

/** Settings that video needs and these tests do not. */
export const unused = {
  NATS_URL: "unused",
  BILLING_ADDR: "unused",
  METERING_ADDR: "unused",
  JOURNAL_DIR: "unused",
  NOTIFICATIONS_ADDR: "127.0.0.1:1",
} as const;

const fast = {
  POLL_SCALE: "0.003",
  POLL_QPS: "2000",
  POLL_TIMEOUT_MS: "400",
  CREATE_TIMEOUT_MS: "400",
};

/** One replica of the video service, behind a real link. */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { at, books, providers } = options;
  await using starting = new AsyncDisposableStack();
  const settings = readConfig(schema, {
    ...unused,
    MONGODB_URL: at.url,
    MONGODB_DATABASE: at.database,
    ...fast,
    ...options.env,
  });
  const log = createLogger({ service: "video-test", level: process.env["TEST_LOG"] ?? "silent" });
  const current = parseCatalog(options.catalog ?? catalogOf(providers), {});
  const catalog = { current, [Symbol.dispose]: () => {} };
  const metrics = createMetrics("video-test");
  const egressAllow = settings.EGRESS_ALLOW;
  const parts = { catalog, admission: noAdmission, log, metrics, egressAllow };
  const context = starting.use(createContext({ ...parts, fetchBudget: unlimitedFetches }));
  const built = await buildVideo({
    context,
    resources: starting,
    admission: books.admission,
    identity: insecure,
    settings,
  });
  const link = createLinkServer({
    operations: handlersOf(built.operations),
    log: (event, { error }) => log.error({ err: error }, event),
  });
  const listener = starting.use(
    await openLinkListener({
      identity: insecure,
      link,
      host: "127.0.0.1",
      port: 0,
      drainMs: 1_000,
    }),
  );
  const address = `127.0.0.1:${listener.port}`;
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [address] });
  starting.defer(() => client.close({ timeoutMs: 100 }));
  await client.ready();
  const running = starting.move();
  return {
    metrics: () => metrics.registry.metrics(),
    async call(operation, body, request = {}) {
      const accountId = request.accountId ?? "acct_1";
      const caller = request.caller ?? Caller.fromPartial({ keyId: "key_1", accountId });
      const path = `/v1/videos/generations${request.id === undefined ? "" : `/${request.id}`}`;
      const stream = ResponseStream.open(
        client,
        {
          operation,
          requestId: request.requestId ?? newId("req"),
          target: `${path}${request.query ?? ""}`,
          headers: [...(request.headers ?? [])],
          context: Buffer.from(Caller.encode(caller).finish()),
          bodyless: body === undefined,
        },
        body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
      );
      const { status, headers } = await stream.head;
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString("utf8");
      return {
        status,
        text,
        header: (name) => (headers.includes(name) ? headers[headers.indexOf(name) + 1] : undefined),
        json: <T>() => JSON.parse(text) as T,
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export const order = (more: object = {}): object => ({
  model: "beta2.6-t2v",
  duration: 5,
  resolution: "720p",
  input: { prompt: "a boat" },
  ...more,
});
