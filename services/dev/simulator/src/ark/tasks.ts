import type { Call, Reply } from "../http/types.ts";
import { polledTooSoon } from "../tasks/plan.ts";
import { isCharged, phaseAt, type Task } from "../tasks/task.ts";
import { invalidArk, rejectArk } from "./protocol.ts";
import { arkTaskBody } from "./task-body.ts";

const recordsLiveMs = 7 * 86_400_000;
const cancelledLiveMs = 86_400_000;

function isKept(task: Task, now: number): boolean {
  const life = task.cancelledAt === undefined ? recordsLiveMs : cancelledLiveMs;
  return now < task.createdAt + life;
}

function taskFor(call: Call): Task {
  const id = call.params["id"] ?? "";
  const task = call.tasks.find({ provider: "ark", id, credential: call.credential });
  if (task !== undefined && task.fate !== "unknown" && isKept(task, call.tasks.now())) return task;
  const message = `The specified task ${id} does not exist.`;
  throw rejectArk({ status: 404, code: "NotFound.Task", message, param: "id" });
}

/** `GET /contents/generations/tasks/{id}` */
export function getSeedance(call: Call): Reply {
  const task = taskFor(call);
  const gap = call.tasks.poll(task);
  if (polledTooSoon(call, gap)) {
    const message = "The request rate of task look-ups exceeds the limit of this account.";
    throw rejectArk({ status: 429, code: "AccountRateLimitExceeded", message });
  }
  const phase = phaseAt(task, call.tasks.now());
  const reported = { id: task.id, polls: task.polls };
  return {
    type: "json",
    status: 200,
    body: arkTaskBody(task, phase),
    responseId: task.id,
    task: reported,
    ...(isCharged(task, phase) && { usage: task.usage, trueUsage: task.trueUsage }),
  };
}

function pageNumber(call: Call, name: string, otherwise: number): number {
  const value = Number(call.query.get(name) ?? otherwise);
  if (Number.isInteger(value) && value >= 1 && value <= 500) return value;
  throw invalidArk(name, "it must be an integer from 1 to 500");
}

/** `GET /contents/generations/tasks`; the tasks of the last 7 days, newest first. */
export function listSeedance(call: Call): Reply {
  const page = pageNumber(call, "page_num", 1);
  const size = pageNumber(call, "page_size", 10);
  const { query } = call;
  const now = call.tasks.now();
  const ids = query.getAll("filter.task_ids");
  const fits = (name: string, value: unknown) => !query.has(name) || query.get(name) === value;
  const all = call.tasks
    .listOf({ provider: "ark", credential: call.credential })
    .filter((task) => isKept(task, now) && (ids.length === 0 || ids.includes(task.id)))
    .filter((task) => fits("filter.status", phaseAt(task, now)) && fits("filter.model", task.model));
  const items = all.slice((page - 1) * size, page * size).map((task) => arkTaskBody(task, phaseAt(task, now)));
  return { type: "json", status: 200, body: { total: all.length, items } };
}

/** `DELETE /contents/generations/tasks/{id}`: cancels a queued task, deletes an ended one. */
export function deleteSeedance(call: Call): Reply {
  const task = taskFor(call);
  const phase = phaseAt(task, call.tasks.now());
  if (phase === "running" || phase === "cancelled") {
    const message = `The task ${task.id} is ${phase} and cannot be deleted.`;
    throw rejectArk({ status: 400, code: "InvalidAction.RunningTaskDeletion", message, param: "id" });
  }
  if (phase === "queued") call.tasks.cancel(task);
  else call.tasks.remove(task);
  return { type: "json", status: 200, body: {}, task: { id: task.id, polls: task.polls } };
}
