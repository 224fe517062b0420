import { connectMongo, mongoCheck } from "@uag/mongo/connect";
import { openDatabaseClock } from "@uag/mongo/database-clock";
import type { CapabilityContext } from "@uag/pipeline/context";
import type { OperationsOf } from "@uag/pipeline/operation/operation";
import { type Capability, type CapabilityService, startCapability } from "@uag/pipeline/start";
import { ConfigError, readConfig } from "@uag/runtime/config";
import { keyringOf } from "@uag/runtime/keyring";
import type { Identity } from "@uag/runtime/rpc/identity";
import type { TaskAdmission } from "@uag/usage/types";
import type { Connection } from "mongoose";
import { schema, type VideoSettings } from "./config.ts";
import type { VideoContext } from "./context.ts";
import { createVideoEvents, type VideoEvents } from "./events.ts";
import { createVideo } from "./operations/create.ts";
import { cancelVideo, getVideo } from "./operations/find.ts";
import { listVideos } from "./operations/list.ts";
import { webhookService } from "./rpc/webhooks.ts";
import { RateGate } from "./store/rate-gate.ts";
import type { PendingWebhook, TaskDocument } from "./store/task.ts";
import { TaskStore } from "./store/tasks.ts";
import { CompletionNotifier } from "./tasks/completion-notifier.ts";
import { TaskOutbox } from "./tasks/outbox.ts";
import { leaseMs } from "./tasks/poll-schedule.ts";
import { pollTasks } from "./tasks/poller.ts";
import { AssetKeeper } from "./tasks/results.ts";
import { Wakeups } from "./wakeup.ts";
import { MessageBudget } from "./webhooks/budget.ts";
import { Confirmations } from "./webhooks/confirmations.ts";
import { DeliveryStore } from "./webhooks/deliveries.ts";
import { createMailer, type Mailer } from "./webhooks/mail.ts";
import { MailPause } from "./webhooks/mail-pause.ts";
import { Messages } from "./webhooks/messages.ts";
import { SecretBox } from "./webhooks/secret-box.ts";
import { SecretStore } from "./webhooks/secrets.ts";
import { WebhookSender } from "./webhooks/sender.ts";

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
  const { resources, settings } = options;
  const { MONGODB_URL: url, MONGODB_DATABASE: database } = settings;
  const connection = await connectMongo({ url, database, service: "video", maxPoolSize, readConcern: "majority" });
  resources.defer(() => connection.close());
  const clock = resources.use(await openDatabaseClock(connection, options.context));
  const { sender, video, ...webhooks } = await openWebhooks(options, connection);
  const tasks = new TaskStore(connection);
  await tasks.open();
  const { admission } = options;
  const enqueue = ({ accountId, ids }: TaskDocument, { id, ...message }: PendingWebhook): Promise<void> =>
    sender.enqueue({ _id: id, accountId, taskIds: [...ids], ...message });
  const outbox = resources.use(new TaskOutbox({ tasks, admission, video, enqueue, leaseMs: leaseMs(settings) }));
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
  const { log, guarded } = options.context;
  return {
    operations: operations(context),
    checks: { mongodb: mongoCheck(connection), clock: clock.check },
    // Requests waiting for a task's end get the task in its current state.
    leaving: () => completions[Symbol.dispose](),
    services: [webhookService({ ...webhooks, guarded, log })],
  };
}

/** How quickly a waiting request learns of a task that ended in another process. */
const endPollMs = 500;

function openKeeper({ context, resources, identity, settings }: BuildOptions): AssetKeeper | undefined {
  const { ASSETS_ADDR: address, POLL_TIMEOUT_MS } = settings;
  if (address === undefined) return undefined;
  // Fetching and storing must both fit into one claim.
  return resources.use(
    new AssetKeeper({ address, identity, guarded: context.guarded, timeoutMs: POLL_TIMEOUT_MS / 2 }),
  );
}

async function openWebhooks({ context, resources, settings }: BuildOptions, connection: Connection) {
  const video = createVideoEvents(context.log, context.metrics);
  const deliveries = new DeliveryStore(connection);
  await deliveries.open();
  const secrets = new SecretStore(
    connection,
    new SecretBox(keyringOf(settings.WEBHOOK_KEY, settings.WEBHOOK_KEY_PREVIOUS)),
  );
  await secrets.open((error) => video.stumbled("reseal", error));
  const mailer = openMailer(settings);
  if (mailer !== undefined) resources.use(mailer);
  const confirmations = await openConfirmations(settings, connection);
  const sender = resources.use(
    new WebhookSender({
      mailer,
      confirmations,
      deliveries,
      secrets,
      guarded: context.guarded,
      video,
      timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
      scale: settings.WEBHOOK_SCALE,
    }),
  );
  const sending = await openMessages({ settings, connection, video, deliveries, sender, confirmations });
  return { sender, deliveries, secrets, mailer, video, confirmations, ...sending };
}

interface MessageParts {
  readonly settings: VideoSettings;
  readonly connection: Connection;
  readonly video: VideoEvents;
  readonly deliveries: DeliveryStore;
  readonly sender: WebhookSender;
  readonly confirmations: Confirmations;
}

async function openMessages({ settings, connection, video, ...parts }: MessageParts) {
  const perHour = {
    mail: settings.MAIL_TESTS_PER_HOUR,
    webhook: settings.WEBHOOK_TESTS_PER_HOUR,
    notice: settings.NOTICES_PER_HOUR,
  };
  const budget = new MessageBudget(connection, perHour, video.messageRefused);
  const repeated = (accountId: string): void => video.messageRefused("repeat", accountId);
  const pause = new MailPause(connection, settings.MAIL_REPLAY_PAUSE_MS, repeated);
  await Promise.all([budget.open(), pause.open()]);
  return { messages: new Messages({ ...parts, budget, pause }), budget };
}

async function openConfirmations(settings: VideoSettings, connection: Connection): Promise<Confirmations> {
  const { PUBLIC_URL: publicUrl, SMTP_URL, MAIL_CONFIRMED_DOMAINS: confirmedDomains } = settings;
  if (SMTP_URL !== undefined && publicUrl === undefined && !confirmedDomains.includes("*")) {
    throw new ConfigError("PUBLIC_URL must be set beside SMTP_URL: confirmation mails contain a link to the console");
  }
  const confirmations = new Confirmations(connection, {
    confirmedDomains,
    publicUrl: (publicUrl ?? "").replace(/\/$/, ""),
    lifetimeMs: settings.MAIL_CONFIRM_MS,
    resendPauseMs: settings.MAIL_REPLAY_PAUSE_MS,
  });
  await confirmations.open();
  return confirmations;
}

function openMailer(settings: VideoSettings): Mailer | undefined {
  const { SMTP_URL: url, SMTP_FROM: from, SMTP_CA: ca, SMTP_TLS, WEBHOOK_TIMEOUT_MS: timeoutMs } = settings;
  if (url === undefined) return undefined;
  if (from === undefined) throw new ConfigError("SMTP_FROM must be set with SMTP_URL: an email needs a sender");
  return createMailer({ url, from, ca, tls: SMTP_TLS === "on", timeoutMs });
}

/** The operations of this service, by their names in the table of routes. */
function operations(context: VideoContext): OperationsOf<"video"> {
  return {
    "videos.create": createVideo(context),
    "videos.list": listVideos(context),
    "videos.get": getVideo(context),
    "videos.cancel": cancelVideo(context),
  };
}
