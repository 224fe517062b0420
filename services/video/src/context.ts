import type { TaskAdmission } from "@uag/admission/types.ts";
import type { CapabilityContext } from "@uag/capability/context.ts";
import type { Alarms } from "./alarm.ts";
import type { VideoSettings } from "./config.ts";
import type { VideoEvents } from "./events.ts";
import type { TaskDocument } from "./store/task.ts";
import type { TaskStore } from "./store/tasks.ts";
import type { EndHub } from "./tasks/end-hub.ts";
import type { ResultKeeper } from "./tasks/results.ts";

/** What bringing about the end of a task needs: asked at once by whoever ended it. */
export interface Aftermath {
  /** Settles, and hands over the webhook, in the background; what fails is taken up again later. */
  begin(task: TaskDocument): void;
}

/** What every part of the service works with. */
export interface VideoContext extends Omit<CapabilityContext, "admission"> {
  readonly settings: VideoSettings;
  readonly tasks: TaskStore;
  readonly admission: TaskAdmission;
  readonly video: VideoEvents;
  readonly hub: EndHub;
  /** Wake up those who look after a provider's tasks. */
  readonly alarms: Alarms;
  readonly aftermath: Aftermath;
  /** Undefined where there is no asset store: results are passed on as they are. */
  readonly keeper: ResultKeeper | undefined;
}
