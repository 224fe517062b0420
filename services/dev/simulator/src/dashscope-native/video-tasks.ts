import type { Call, Reply } from "../http/types.ts";
import { polledTooSoon } from "../tasks/plan.ts";
import { endOf, isCharged, type Phase, phaseAt, startOf, type Task } from "../tasks/task.ts";
import { resultUrl } from "../tasks/urls.ts";
import { invalidParameter, rejectNative, requestIdFields } from "./protocol.ts";
import type { WanFacts } from "./videos.ts";

const recordsLiveMs = 86_400_000;
const statuses = {
  queued: "PENDING",
  running: "RUNNING",
  succeeded: "SUCCEEDED",
  failed: "FAILED",
  cancelled: "CANCELED",
  // The provider does not know a lost task.
  expired: "UNKNOWN",
} as const satisfies Record<Phase, string>;

/** `2026-11-21 10:00:00.000`, Beijing time */
function beijingTime(ms: number): string {
  return new Date(ms + 8 * 3_600_000).toISOString().replace("T", " ").replace("Z", "");
}

function taskFor(call: Call): Task | undefined {
  const id = call.params["id"] ?? "";
  const task = call.tasks.find({ provider: "dashscope", id, credential: call.credential });
  const isKept = task !== undefined && call.tasks.now() < task.createdAt + recordsLiveMs;
  return isKept && task.fate !== "unknown" ? task : undefined;
}

function resultOf(task: Task, phase: Phase): object {
  const { digest, prompt, actualPrompt, output } = task.facts as unknown as WanFacts;
  if (phase === "failed") return { code: task.failure?.code, message: task.failure?.message };
  if (phase !== "succeeded" || output === undefined) return {};
  const { width, height, seconds, sound } = output;
  const url = resultUrl(task, { kind: "video", digest, width, height, seconds, sound });
  return {
    ...(prompt !== undefined && { orig_prompt: prompt }),
    ...(actualPrompt !== undefined && { actual_prompt: actualPrompt }),
    video_url: url,
  };
}

function timesOf(task: Task, phase: Phase): object {
  const started = phase !== "queued" && task.cancelledAt === undefined;
  const ended = phase === "succeeded" || phase === "failed" || phase === "cancelled";
  return {
    submit_time: beijingTime(task.createdAt),
    ...(started && { scheduled_time: beijingTime(startOf(task)) }),
    ...(ended && { end_time: beijingTime(endOf(task)) }),
  };
}

function outputOf(task: Task, phase: Phase): object {
  const known = { task_id: task.id, task_status: statuses[phase] };
  return phase === "expired" ? known : { ...known, ...timesOf(task, phase), ...resultOf(task, phase) };
}

/** `GET /api/v1/tasks/{id}`; an unknown task is a 200 with status UNKNOWN. */
export function getTask(call: Call): Reply {
  const task = taskFor(call);
  if (task === undefined) {
    const body = { output: { task_id: call.params["id"], task_status: "UNKNOWN" } };
    return { type: "json", status: 200, body, requestIdFields };
  }
  const gap = call.tasks.poll(task);
  if (polledTooSoon(call, gap)) {
    const message = "Requests rate limit exceeded, please try again later.";
    throw rejectNative({ status: 429, code: "Throttling.RateQuota", message });
  }
  const phase = phaseAt(task, call.tasks.now());
  const { usage, trueUsage } = task;
  const reported = { id: task.id, polls: task.polls };
  const charged = isCharged(task, phase);
  const body = { output: outputOf(task, phase), ...(charged && usage !== undefined && { usage }) };
  const measured = charged ? { usage, trueUsage } : {};
  return { type: "json", status: 200, body, responseId: task.id, task: reported, requestIdFields, ...measured };
}

/** `POST /api/v1/tasks/{id}/cancel`; only for a queued task. */
export function cancelTask(call: Call): Reply {
  const task = taskFor(call);
  if (task === undefined || !call.tasks.cancel(task)) {
    const message = "Failed to cancel the task, please confirm if the task is in PENDING status.";
    throw rejectNative({ status: 400, code: "UnsupportedOperation", message });
  }
  const reported = { id: task.id, polls: task.polls };
  return { type: "json", status: 200, body: {}, responseId: task.id, task: reported, requestIdFields };
}

function whole(call: Call, name: string, otherwise: number, max: number): number {
  const value = Number(call.query.get(name) ?? otherwise);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw invalidParameter(`${name} must be an integer between 1 and ${max}`);
}

/** `GET /api/v1/tasks/`; the tasks of the last day, newest first. */
export function listTasks(call: Call): Reply {
  const { query } = call;
  const now = call.tasks.now();
  const page = whole(call, "page_no", 1, 10_000);
  const size = whole(call, "page_size", 10, 100);
  const fits = (name: string, value: string) => !query.has(name) || query.get(name) === value;
  const all = call.tasks
    .listOf({ provider: "dashscope", credential: call.credential })
    .filter((task) => now < task.createdAt + recordsLiveMs)
    .filter((task) => fits("status", statuses[phaseAt(task, now)]) && fits("model_name", task.model));
  const data = all.slice((page - 1) * size, page * size).map((task) => {
    const phase = phaseAt(task, now);
    return { model_name: task.model, status: statuses[phase], task_id: task.id, ...timesOf(task, phase) };
  });
  const body = { total: all.length, data, total_page: Math.ceil(all.length / size), page_no: page, page_size: size };
  return { type: "json", status: 200, body, requestIdFields };
}
