import { Callers } from "@uag/pipeline/callers";
import { billsOf } from "@uag/pipeline/idempotency/bills";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { createRpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import type { ChatSettings } from "../config.ts";
import type { ChatContext } from "../context.ts";
import { generationOperation } from "../generation/operation.ts";
import { responses } from "../operations/responses.ts";
import type { ChatDatabase } from "../state/database.ts";
import { statefulBody } from "../state/expand.ts";
import { type KeptJob, ResponseKeeper } from "../state/keep.ts";
import type { ResponseStore } from "../state/store.ts";
import { createBackgroundEvents } from "./events.ts";
import { Followers } from "./followers.ts";
import { JobStore } from "./job-store.ts";
import type { RunContext } from "./run.ts";
import type { Background } from "./start.ts";
import { BackgroundWorker } from "./worker.ts";

/** What responses in the background are opened with. */
export interface OpenBackgroundOptions {
  readonly context: ChatContext;
  readonly database: ChatDatabase;
  readonly stored: ResponseStore;
  readonly resources: AsyncDisposableStack;
  readonly identity: Identity;
}

/** Opens the responses in the background, and the worker that makes them. */
export function openBackground(
  settings: ChatSettings,
  { context, database, stored, resources, identity }: OpenBackgroundOptions,
): Background & { leave(): void } {
  const { log, metrics, buffers } = context;
  const { BACKGROUND_FOLLOWERS: max, BACKGROUND_EVENT_BYTES: maxEventBytes } = settings;
  const jobs = new JobStore({ database, maxPerAccount: settings.BACKGROUND_RESPONSES });
  const followers = new Followers({ jobs, stored, buffers, max, maxEventBytes });
  const events = createBackgroundEvents(log, metrics);
  const keys = createRpcClient<KeyServiceServer>(KeyServiceService, settings.BILLING_ADDR, identity);
  const metering = createRpcClient<MeteringServiceServer>(MeteringServiceService, settings.METERING_ADDR, identity);
  const callers = new Callers(resources.use(keys), () => Date.now());
  const findBill = billsOf(resources.use(metering));
  const worker = resources.use(
    new BackgroundWorker({
      context: { jobs, stored, callers, findBill, maxEventBytes, operationFor: jobOperation(context, stored) },
      atOnce: settings.BACKGROUND_AT_ONCE,
      drainMs: settings.DRAIN_MS,
      events,
      log,
    }),
  );
  return { jobs, followers, events, wake: () => worker.wake(), leave: () => worker.leave() };
}

/** `POST /v1/responses` for a job, whose response is stored under the job's id. */
export function jobOperation(context: ChatContext, store: ResponseStore): RunContext["operationFor"] {
  const body = statefulBody(store);
  const failed = context.events.failed.bind(context.events);
  return (job: KeptJob) => {
    const keeper = new ResponseKeeper({ store, failed, job });
    return generationOperation({ ...responses, body, keeper }, context);
  };
}
