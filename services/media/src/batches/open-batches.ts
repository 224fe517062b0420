import { createLinkClient } from "@uag/link/client";
import { dialReplica } from "@uag/link/dial";
import { createUnblocker } from "@uag/mongo/abandoned-transactions";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import { Callers } from "@uag/pipeline/callers";
import type { CapabilityContext } from "@uag/pipeline/context";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { createRpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import type { Connection } from "mongoose";
import type { MediaConfig } from "../config.ts";
import type { FileStore } from "../files/file-store.ts";
import { startSweeps } from "../files/sweep.ts";
import { BatchStore } from "./batch-store.ts";
import type { BatchContext } from "./context.ts";
import type { BatchLinks } from "./endpoints.ts";
import { createBatchEvents } from "./events.ts";
import { PartStore } from "./part-store.ts";
import { BatchWorker } from "./worker.ts";

/** How long receipts are stored where responses are not. */
const receiptMs = 24 * 3_600_000;

/** What batches are opened with. */
export interface OpenBatchesOptions {
  readonly context: CapabilityContext;
  readonly resources: AsyncDisposableStack;
  readonly identity: Identity;
  readonly connection: Connection;
  readonly clock: DatabaseClock;
  readonly files: FileStore;
}

/** Opens the batches of accounts, and the worker that runs them. */
export async function openBatches(config: MediaConfig, options: OpenBatchesOptions): Promise<BatchContext> {
  const { context, resources, connection, clock, files } = options;
  const { log } = context;
  const now = (): number => clock.now();
  const batches = new BatchStore({ connection, maxLive: config.BATCHES_ACCOUNT_COUNT, now });
  await batches.open();
  const parts = new PartStore({ connection, objects: files.objects, now });
  await parts.open();
  resources.use(startSweeps(parts, { everyMs: config.ASSETS_SWEEP_MS, log }));
  const events = createBatchEvents(log, context.metrics);
  const lines = { links: openLinks(config, options), callers: openCallers(config, options), now };
  const unblock = createUnblocker(connection, "media");
  const worker = new BatchWorker({
    context: {
      connection,
      batches,
      parts,
      files,
      unblock,
      now,
      objects: files.objects,
      lines: { ...lines, buffers: context.buffers, waitScale: 1 },
      concurrency: config.BATCH_CONCURRENCY,
    },
    atOnce: config.BATCHES_AT_ONCE,
    keptMs: config.ANSWER_TTL_MS || receiptMs,
    events,
    log,
  });
  resources.use(worker);
  return {
    events: context.events,
    files,
    clock,
    batches,
    batchEvents: events,
    buffers: context.buffers,
    publicUrl: config.PUBLIC_URL,
    wake: () => worker.wake(),
  };
}

function openLinks(config: MediaConfig, { context, resources, identity }: OpenBatchesOptions): BatchLinks {
  const targets = { chat: config.CHAT_ADDR, embedding: config.EMBEDDING_ADDR };
  const links: Record<string, BatchLinks[keyof BatchLinks]> = {};
  for (const service of ["chat", "embedding"] as const) {
    const link = createLinkClient({
      targets: targets[service],
      dial: dialReplica(identity, service),
      log: (event, { error, address, requestId }) =>
        context.log.warn({ err: error, to: service, address, request_id: requestId }, event),
    });
    resources.defer(() => link.close());
    links[service] = link;
  }
  return links;
}

function openCallers(config: MediaConfig, { resources, identity, clock }: OpenBatchesOptions): Callers {
  const billing = createRpcClient<KeyServiceServer>(KeyServiceService, config.BILLING_ADDR, identity);
  return new Callers(resources.use(billing), () => clock.now());
}
