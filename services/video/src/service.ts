import { connectMongo, mongoCheck } from "@uag/mongo/connect";
import { openDatabaseClock } from "@uag/mongo/database-clock";
import type { CapabilityContext } from "@uag/pipeline/context";
import type { OperationsOf } from "@uag/pipeline/operation/operation";
import { type Capability, type CapabilityService, startCapability } from "@uag/pipeline/start";
import {
  type NotificationServiceServer,
  NotificationServiceService,
} from "@uag/proto/notifications/v1/notifications.ts";
import { readConfig } from "@uag/runtime/config";
import { createRpcClient } from "@uag/runtime/rpc/client";
import type { Identity } from "@uag/runtime/rpc/identity";
import { Wakeups } from "@uag/runtime/wakeup";
import type { TaskAdmission } from "@uag/usage/types";
import { schema, type VideoSettings } from "./config.ts";
import type { VideoContext } from "./context.ts";
import { createVideoEvents } from "./events.ts";
import { createVideo } from "./operations/create.ts";
import { cancelVideo, getVideo } from "./operations/find.ts";
import { listVideos } from "./operations/list.ts";
import { AssetKeeper } from "./results/asset-keeper.ts";
import { RateGate } from "./store/rate-gate.ts";
import { TaskStore } from "./store/tasks.ts";
import { CompletionNotifier } from "./tasks/completion-notifier.ts";
import { TaskOutbox } from "./tasks/outbox.ts";
import { leaseMs } from "./tasks/poll-schedule.ts";
import { pollTasks } from "./tasks/poller.ts";

/** Starts video as configured by the environment; resolves when it serves. */
export function startService(env: NodeJS.ProcessEnv = process.env): Promise<CapabilityService> {
  const settings = readConfig(schema, env);
  return startCapability({
    name: "video",
    settings,
    env,
    build: (context, resources, admission, identity) =>
      buildVideo({ context, resources, admission, identity, settings }),
  });
}

export interface BuildOptions {
  readonly context: CapabilityContext;
  readonly resources: AsyncDisposableStack;
  readonly admission: TaskAdmission;
  readonly identity: Identity;
  readonly settings: VideoSettings;
}

const maxPoolSize = 32;

/** Assembles the service and starts its background work. */
export async function buildVideo(options: BuildOptions): Promise<Capability<"video">> {
  const { resources, settings, admission } = options;
  const { MONGODB_URL: url, MONGODB_DATABASE: database } = settings;
  const connection = await connectMongo({ url, database, service: "video", maxPoolSize, readConcern: "majority" });
  resources.defer(() => connection.close());
  const clock = resources.use(await openDatabaseClock(connection, options.context));
  const video = createVideoEvents(options.context.log, options.context.metrics);
  const tasks = new TaskStore(connection);
  await tasks.open();
  const { NOTIFICATIONS_ADDR: address } = settings;
  const notifications = resources.use(
    createRpcClient<NotificationServiceServer>(NotificationServiceService, address, options.identity),
  );
  const outbox = resources.use(new TaskOutbox({ tasks, admission, video, notifications, leaseMs: leaseMs(settings) }));
  const completions = resources.use(
    new CompletionNotifier({
      ended: (ids) => tasks.ended(ids),
      failed: (error) => video.stumbled("wait", error),
      everyMs: endPollMs,
    }),
  );
  const keeper = openKeeper(options);
  const wakeups = new Wakeups();
  const own = { admission, settings, clock, tasks, video, completions, wakeups, outbox, keeper };
  const context: VideoContext = { ...options.context, ...own };
  resources.use(pollTasks(context, new RateGate(connection, settings.POLL_QPS)));
  return {
    operations: operations(context),
    checks: { mongodb: mongoCheck(connection), clock: clock.check },
    // Requests waiting for a task's end get the task in its current state.
    leaving: () => completions[Symbol.dispose](),
  };
}

/** How quickly a waiting request learns of a task that ended in another process. */
const endPollMs = 500;

function openKeeper({ context, resources, identity, settings }: BuildOptions): AssetKeeper | undefined {
  const { ASSETS_ADDR: address, POLL_TIMEOUT_MS } = settings;
  if (address === undefined) return undefined;
  const { guarded, buffers } = context;
  // Fetching and storing must both fit into one claim.
  return resources.use(new AssetKeeper({ address, identity, guarded, buffers, timeoutMs: POLL_TIMEOUT_MS / 2 }));
}

/** The operations of this service, by their names in the table of routes. */
function operations(context: VideoContext): OperationsOf<"video"> {
  return {
    "videos.generations": createVideo(context),
    "videos.list": listVideos(context),
    "videos.get": getVideo(context),
    "videos.cancel": cancelVideo(context),
  };
}
