import { arkTaskBody } from "../ark/task-body.ts";
import { openLines } from "../log/lines.ts";
import { CallbackPlanner } from "./callbacks.ts";
import { type TaskLine, TaskStore } from "./store.ts";

/**
 * A task store with callbacks; with a data folder it is loaded from and stored in `tasks.jsonl`
 * there.
 */
export function createTaskStore(options: { dataDir: string | undefined; taskMs: number }): TaskStore {
  const planner = new CallbackPlanner({ bodyOf: arkTaskBody });
  const kept = options.dataDir === undefined ? {} : openLines<TaskLine>(options.dataDir, "tasks.jsonl");
  return new TaskStore({
    taskMs: options.taskMs,
    ...kept,
    now: Date.now,
    onTask: (task) => planner.plan(task),
    onClose: () => planner.close(),
  });
}
