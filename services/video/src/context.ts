import type { DatabaseClock } from "@uag/mongo/database-clock";
import type { CapabilityContext } from "@uag/pipeline/context";
import type { Wakeups } from "@uag/runtime/wakeup";
import type { TaskAdmission } from "@uag/usage/types";
import type { VideoSettings } from "./config.ts";
import type { VideoEvents } from "./events.ts";
import type { ResultKeeper } from "./results/asset-keeper.ts";
import type { TaskDocument } from "./store/task.ts";
import type { TaskStore } from "./store/tasks.ts";
import type { CompletionNotifier } from "./tasks/completion-notifier.ts";

/** Processes the outbox that a task's end wrote into its row. */
export interface OutboxWorker {
  /** Settles the bill and queues the webhook in the background; retried later if it fails. */
  process(task: TaskDocument): void;
}

/** Dependencies of every part of the service. */
export interface VideoContext extends Omit<CapabilityContext, "admission"> {
  readonly settings: VideoSettings;
  readonly tasks: TaskStore;
  /** Tasks expire by it. */
  readonly clock: DatabaseClock;
  readonly admission: TaskAdmission;
  readonly video: VideoEvents;
  readonly completions: CompletionNotifier;
  /** Wakeups for the pollers of each provider's tasks. */
  readonly wakeups: Wakeups;
  readonly outbox: OutboxWorker;
  /** Undefined without an asset store: results are passed on with the provider's URLs. */
  readonly keeper: ResultKeeper | undefined;
}
