import type { Call, Reply } from "../http/types.ts";
import { polledTooSoon } from "../tasks/plan.ts";
import { isCharged, phaseAt, progressAt, type Task } from "../tasks/task.ts";
import { resultUrl } from "../tasks/urls.ts";
import type { Usage } from "../usage.ts";
import { rejectXai } from "./protocol.ts";

/** Additional state of a video task. */
export interface GrokVideoFacts {
  readonly digest: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
}

// Every third poll of a pending task gets a response without a body.
const emptyEvery = 3;

function pending(call: Call, task: Task): Reply {
  const reported = { id: task.id, polls: task.polls };
  if (call.faults["poll-empty"] !== undefined || task.polls % emptyEvery === 0) {
    return { type: "bytes", status: 202, contentType: "application/json", bytes: Buffer.alloc(0), task: reported };
  }
  const body = { status: "pending", progress: progressAt(task, call.tasks.now()) };
  return { type: "json", status: 202, body, task: reported };
}

function ended(task: Task, body: object, usage?: Usage): Reply {
  const reported = { id: task.id, polls: task.polls };
  return {
    type: "json",
    status: 200,
    body,
    responseId: task.id,
    task: reported,
    ...(usage && { usage, trueUsage: task.trueUsage }),
  };
}

function done(task: Task, allowed: boolean): Reply {
  const { digest, width, height, seconds } = task.facts as unknown as GrokVideoFacts;
  const url = allowed ? resultUrl(task, { kind: "video", digest, width, height, seconds, sound: true }) : "";
  const { usage } = task;
  const video = { url, duration: seconds, respect_moderation: allowed };
  return ended(task, { status: "done", video, model: task.model, ...(usage && { usage }), progress: 100 }, usage);
}

/** `GET /v1/videos/{id}` */
export function grokVideoStatus(call: Call): Reply {
  const id = call.params["id"] ?? "";
  const task = call.tasks.find({ provider: "xai", id, credential: call.credential });
  if (task === undefined || task.fate === "unknown") throw rejectXai(404, `Video request ${id} was not found.`);
  const gap = call.tasks.poll(task);
  if (polledTooSoon(call, gap)) throw rejectXai(429, "Too many requests. Please slow down.");
  const phase = phaseAt(task, call.tasks.now());
  const usage = isCharged(task, phase) ? task.usage : undefined;
  const also = { model: task.model, ...(usage && { usage }) };
  switch (phase) {
    case "queued":
    case "running":
      return pending(call, task);
    case "succeeded":
      return done(task, true);
    case "expired":
      return ended(task, { status: "expired", ...also }, usage);
    case "cancelled": {
      const error = { code: "cancelled", message: "The request was cancelled." };
      return ended(task, { status: "failed", error, ...also }, usage);
    }
    case "failed":
      if (task.failure?.code === "moderation") return done(task, false);
      return ended(task, { status: "failed", error: task.failure, ...also }, usage);
  }
}
