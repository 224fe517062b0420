import { parseCatalog } from "@uag/catalog/parse";
import { createLinkClient } from "@uag/link/client";
import { dialGrpc } from "@uag/link/grpc-client";
import { ResponseStream } from "@uag/link/response-stream";
import { createLinkServer, type LinkHandler } from "@uag/link/server";
import { type CapabilityContext, type ContextOptions, createContext } from "@uag/pipeline/context";
import { withIdempotency } from "@uag/pipeline/idempotency/idempotency";
import { ResponseBox } from "@uag/pipeline/idempotency/response-box";
import { Runs } from "@uag/pipeline/idempotency/runs";
import { IdempotencyStore } from "@uag/pipeline/idempotency/store";
import { openLinkListener } from "@uag/pipeline/link-listener";
import { handlersOf, type Operations } from "@uag/pipeline/operation/operation";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { keyringOf } from "@uag/runtime/keyring";
import { createLogger } from "@uag/runtime/log";
import { createMetrics } from "@uag/runtime/metrics";
import { insecure } from "@uag/runtime/rpc/identity";
import { type BufferBudget, type BufferLimits, defaultBufferLimits } from "@uag/untrusted/buffer-budget";
import type { Admission, TaskAdmission } from "@uag/usage/types";
import { TestAdmission } from "./admission.ts";
import { unlimitedFetches } from "./unlimited-fetches.ts";

/** The caller of an operation, and the request's head. */
export interface CallOptions {
  readonly account?: string;
  /** Default: `req_1` and so on. */
  readonly requestId?: string;
  /** Models that the key may use; none: all. */
  readonly models?: readonly string[];
  /** The account's setting. Default: false. */
  readonly lowersOutputCap?: boolean;
  /** The account's setting. Default: false. */
  readonly storesResponses?: boolean;
  /** The key's; default: the model's. */
  readonly routingStrategy?: string;
  readonly target?: string;
  /** Names and values, alternating; default: JSON. */
  readonly headers?: readonly string[];
}

/** A response, read to its end or until it was interrupted. */
export interface ReceivedResponse {
  readonly requestId: string;
  readonly status: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  header(name: string): string | undefined;
  /** The body; if it was interrupted, `<cut: reason>` is appended. */
  readonly body: Buffer;
  readonly text: string;
  /** @throws {SyntaxError} */
  json(): Record<string, unknown>;
  /** Why it was interrupted after its head; undefined when it is complete. */
  readonly broken: Error | undefined;
}

/** A service's operations, called as the router calls them. */
export interface OperationsHarness extends AsyncDisposable {
  readonly admission: TestAdmission;
  readonly buffers: BufferBudget;
  /** The operations whose response can be a stream. */
  readonly streamed: readonly string[];
  /** Opens an exchange of an operation; without a body it is bodyless. */
  open(operation: string, body: string | Buffer | undefined, options?: CallOptions): ResponseStream;
  /** Opens an exchange whose body follows. */
  begin(operation: string, options?: CallOptions): ResponseStream;
  /**
   * Calls an operation and reads the response; a body that is neither text nor bytes is sent as
   * JSON.
   */
  call(operation: string, body: unknown, options?: CallOptions): Promise<ReceivedResponse>;
}

/** The dependencies of the operations. */
export interface StartOptions {
  /** The catalogue, YAML. */
  readonly catalog: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Creates the operations, and adds what it opens to `resources`. */
  readonly operations: (
    context: CapabilityContext,
    resources: AsyncDisposableStack,
    tasks: TaskAdmission,
  ) => Operations | Promise<Operations>;
  readonly bufferLimits?: BufferLimits;
  readonly egressAllow?: readonly string[];
  /** How many URLs each account may have fetched; default: any number. */
  readonly fetchBudget?: ContextOptions["fetchBudget"];
  /** Admits the requests; default: the harness's own, which only records. */
  readonly admission?: Admission & TaskAdmission;
  /** Stores responses under idempotency keys there; without it the header has no effect. */
  readonly idempotency?: { readonly url: string; readonly database: string };
}

const leaseMs = 1_000;
const json = ["content-type", "application/json"];

/** Starts operations behind a real link, with an admission that only records. */
export async function startOperations(options: StartOptions): Promise<OperationsHarness> {
  await using starting = new AsyncDisposableStack();
  const admission = new TestAdmission();
  const { admission: admits = admission } = options;
  const runs = starting.use(new Runs());
  const log = createLogger({ service: "test", level: process.env["TEST_LOG"] ?? "silent" });
  const catalog = { current: parseCatalog(options.catalog, options.env ?? {}), [Symbol.dispose]: () => {} };
  const { bufferLimits = defaultBufferLimits, egressAllow = [], idempotency, fetchBudget = unlimitedFetches } = options;
  const metrics = createMetrics("test");
  const parts = { name: "test", catalog, log, metrics, egressAllow, bufferLimits, fetchBudget };
  const context = starting.use(createContext({ ...parts, admission: admits }));
  const defined = await options.operations(context, starting, admits);
  const operations =
    idempotency === undefined
      ? handlersOf(defined)
      : once(defined, { context, admission, runs, store: starting.use(storeOf(idempotency)) });
  const link = createLinkServer({ operations, log: (event, { error }) => log.error({ err: error }, event) });
  const listener = starting.use(
    await openLinkListener({ identity: insecure, link, host: "127.0.0.1", port: 0, drainMs: 2_000 }),
  );
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [`127.0.0.1:${listener.port}`] });
  starting.defer(() => client.close({ timeoutMs: 100 }));
  await client.ready();
  let ids = 0;
  const request = (operation: string, options: CallOptions = {}) => {
    const { account = "acc_1", models = [], target = "/", headers = json, requestId = `req_${++ids}` } = options;
    const { lowersOutputCap, storesResponses, routingStrategy } = options;
    const settings = { models: [...models], lowersOutputCap, storesResponses, routingStrategy };
    const caller = Caller.fromPartial({ keyId: "key_1", accountId: account, ...settings });
    return { operation, requestId, target, headers, context: Buffer.from(Caller.encode(caller).finish()) };
  };
  const open: OperationsHarness["open"] = (operation, body, call) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    return ResponseStream.open(client, { ...request(operation, call), bodyless: body === undefined }, bytes);
  };
  const running = starting.move();
  return {
    admission,
    buffers: context.buffers,
    streamed: Object.keys(defined).filter((name) => defined[name]?.canStream === true),
    open,
    begin: (operation, call) => ResponseStream.open(client, { ...request(operation, call), bodyless: false }),
    async call(operation, body, call) {
      const stream = open(operation, bytesOf(body), call);
      return received(stream, call?.requestId ?? `req_${ids}`);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function storeOf({ url, database }: NonNullable<StartOptions["idempotency"]>): IdempotencyStore {
  const box = new ResponseBox(keyringOf("5a".repeat(32)));
  return new IdempotencyStore({ url, database, leaseMs, lifeMs: 3_600_000, box });
}

function once(
  operations: Operations,
  { context, admission, ...rest }: OnceParts,
): Readonly<Record<string, LinkHandler>> {
  const { catalog, events, log, buffers } = context;
  const findBill = async ({ requestId }: { requestId: string }) => admission.billOf(requestId);
  const admitFree = () => admission.admitFree();
  return withIdempotency(operations, {
    ...rest,
    findBill,
    admitFree,
    catalog,
    events,
    log,
    buffers,
    renewMs: leaseMs / 3,
  });
}

interface OnceParts {
  readonly context: CapabilityContext;
  readonly admission: TestAdmission;
  readonly runs: Runs;
  readonly store: IdempotencyStore;
}

function bytesOf(body: unknown): string | Buffer | undefined {
  if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}

async function received(stream: ResponseStream, requestId: string): Promise<ReceivedResponse> {
  const { status, headers } = await stream.head;
  const chunks: Buffer[] = [];
  let broken: Error | undefined;
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    broken = error as Error;
    chunks.push(Buffer.from(`<cut: ${broken.message}>`));
  }
  const body = Buffer.concat(chunks);
  const text = body.toString("utf8");
  return {
    requestId,
    status,
    headers,
    header: (name) => (headers.includes(name) ? headers[headers.indexOf(name) + 1] : undefined),
    body,
    text,
    json: () => JSON.parse(text) as Record<string, unknown>,
    broken,
  };
}
