import { setTimeout as sleep } from "node:timers/promises";
import type { ContentBlock } from "@modelcontextprotocol/server";
import { videoTask } from "@uag/contract/responses/media";
import { targetFrom } from "@uag/runtime/http/target";
import { z } from "zod";
import type { ApiResponse, Exchange } from "../exchange.ts";
import { defineTool, type ToolCall, type ToolResponse } from "./tool.ts";
import { videoInput, videoRequest } from "./video-request.ts";

const operation = "videos.generations";
const path = "/v1/videos/generations";

const maxTaskBytes = 1024 * 1024;

const id = z
  .string()
  .max(200)
  .regex(/^[\w-]+$/, "Must be an id that create_video returned.")
  .describe("The task's id.");

const pathOf = (id: string): string => targetFrom(`${path}/:id`, { id }, new URLSearchParams());

const task = videoTask.pick({
  id: true,
  model: true,
  status: true,
  created_at: true,
  content: true,
  seed: true,
  error: true,
});

type Task = z.infer<typeof task>;

const open = new Set<Task["status"]>(["submitted", "queued", "running"]);

function responseOf(structured: Task): ToolResponse<Task> {
  const content: ContentBlock[] = [{ type: "text", text: JSON.stringify(structured) }];
  const uri = structured.content?.video_url;
  if (uri !== undefined) content.push({ type: "resource_link", uri, name: "video", mimeType: "video/mp4" });
  return { structured, content };
}

async function find(id: string, { exchange, signal }: Pick<ToolCall, "exchange" | "signal">): Promise<Task> {
  const response = await exchange.call({ method: "GET", path: pathOf(id), signal });
  return taskOf(response, exchange);
}

async function taskOf(response: ApiResponse, exchange: Exchange): Promise<Task> {
  return task.parse(await exchange.readJson(response, maxTaskBytes));
}

export const createVideo = defineTool({
  name: "create_video",
  title: "Start a video",
  description:
    "Starts generating a video, which takes minutes, and returns its task immediately; wait_for_video waits for it. Billed per second of video by resolution, if it succeeds.",
  operation,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: videoInput,
  output: task,
  async run(args, { exchange, idempotencyKey, signal }) {
    const owner = exchange.models.find(({ id }) => id === args.model)?.owned_by;
    const json = videoRequest(args, owner);
    const response = await exchange.call({ method: "POST", path, json, idempotencyKey, signal });
    return responseOf(await taskOf(response, exchange));
  },
});

export const getVideo = defineTool({
  name: "get_video",
  title: "Get a video task",
  description: "Returns a video task's status, and the video's URL once it succeeded. Free.",
  operation,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({ id }),
  output: task,
  run: async (args, call) => responseOf(await find(args.id, call)),
});

const firstDelayMs = 500;
const maxDelayMs = 5_000;

export const waitForVideo = defineTool({
  name: "wait_for_video",
  title: "Wait for a video",
  description:
    "Waits until a video task ends and reports progress to clients that request it. Returns the current task when the time is up; call again to continue waiting. Free.",
  operation,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({
    id,
    timeout_seconds: z.int().min(1).max(600).default(300).describe("Maximum wait in seconds."),
  }),
  output: task,
  async run({ id, timeout_seconds }, call) {
    const startedAt = performance.now();
    const endsAt = startedAt + timeout_seconds * 1_000;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 1.5, maxDelayMs)) {
      const found = await find(id, call);
      const now = performance.now();
      if (!open.has(found.status) || now >= endsAt) return responseOf(found);
      const seconds = Math.round((now - startedAt) / 1_000);
      await call.progress?.(seconds, `${found.status}, after ${seconds} s`);
      await sleep(Math.min(delayMs, endsAt - now), undefined, { signal: call.signal });
    }
  },
});

export const cancelVideo = defineTool({
  name: "cancel_video",
  title: "Cancel a video",
  description: "Cancels a video task that its provider has not started; a running one continues. Free.",
  operation,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({ id }),
  output: task,
  async run(args, { exchange, signal }) {
    const request = { method: "DELETE", path: pathOf(args.id), signal } as const;
    const response = await exchange.call(request);
    return responseOf(await taskOf(response, exchange));
  },
});
