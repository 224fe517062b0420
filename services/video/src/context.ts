import type { TaskAdmission } from "@uag/admission/types.ts";
import type { CapabilityContext } from "@uag/capability/context.ts";
import type { VideoSettings } from "./config.ts";
import type { VideoEvents } from "./events.ts";
import type { TaskDocument } from "./store/task.ts";
import type { TaskStore } from "./store/tasks.ts";
import type { CompletionNotifier } from "./tasks/completion-notifier.ts";
import type { ResultKeeper } from "./tasks/results.ts";
import type { Wakeups } from "./wakeup.ts";

/** Works off what the end of a task wrote into its row. */
export interface OutboxWorker {
  /** Settles, and hands over the webhook, in the background; what fails is taken up again later. */
  process(task: TaskDocument): void;
}

/** What every part of the service works with. */
export interface VideoContext extends Omit<CapabilityContext, "admission"> {
  readonly settings: VideoSettings;
  readonly tasks: TaskStore;
  readonly admission: TaskAdmission;
  readonly video: VideoEvents;
  readonly completions: CompletionNotifier;
  /** Wake up the pollers of a provider's tasks. */
  readonly wakeups: Wakeups;
  readonly outbox: OutboxWorker;
  /** Undefined where there is no asset store: results are passed on as they are. */
  readonly keeper: ResultKeeper | undefined;
}
