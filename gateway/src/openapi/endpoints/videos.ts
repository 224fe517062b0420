import { videoListQuery } from "@uag/contract/requests/queries";
import { videoCreateQuery, videoRequests } from "@uag/contract/requests/videos";
import { videoTask, videoTaskList } from "@uag/contract/responses/media";
import { estimateOf } from "@uag/contract/routes";
import type { Call } from "../examples/types.ts";
import { named } from "../named.ts";
import type { Operation } from "../operation.ts";

const task = { VideoTask: videoTask } as const;

export const tags = {
  Videos:
    "Videos from a description. A video takes minutes, so it is a task: create it, then poll it, wait for it, or receive a webhook.",
};

/** Video tasks. Each example needs the one before: `callVideos` sends them. */
export const endpoints = {
  "videos.generations": {
    id: "createVideo",
    tag: "Videos",
    summary: "Creates a video task; the body depends on the model family",
    request: named(videoRequests, "VideoRequest"),
    ok: { json: task },
    accepted: { json: task },
    query: videoCreateQuery.shape,
    waits: true,
  },
  "videos.get": { id: "getVideo", tag: "Videos", summary: "Shows a video task", ok: { json: task } },
  "videos.list": {
    id: "listVideos",
    tag: "Videos",
    summary: "Lists the account's video tasks, newest first",
    ok: { json: { VideoTaskList: videoTaskList } },
    query: videoListQuery.shape,
  },
  "videos.cancel": {
    id: "cancelVideo",
    tag: "Videos",
    summary: "Cancels a video task that the provider has not started",
    ok: { json: task },
  },
} satisfies Readonly<Record<string, Operation>>;

const boat = {
  model: "beta2.6-t2v",
  duration: 5,
  resolution: "720p",
  input: { prompt: "A boat on a lake" },
  parameters: { duration: 5, size: "1280*720" },
};

/** Sends the examples of video tasks, in a working order. */
export async function callVideos(call: Call, webhookUrl: string): Promise<void> {
  await call(estimateOf("videos.generations"), ["text", "The cost of a video from a description"], { body: boat });
  const { id } = await call("videos.generations", ["text", "A video from a description, with a webhook"], {
    body: { ...boat, webhook_url: webhookUrl },
  });
  await call("videos.get", ["done", "A finished video"], {
    path: { id: String(id) },
    until: ({ status }) => status === "succeeded",
  });
  await call("videos.generations", ["wait", "A video; the response waits until it is finished"], {
    body: boat,
    query: { wait: 60 },
  });
  await call("videos.list", ["newest", "The newest two"], { query: { limit: 2 } });
  const later = await call("videos.generations", ["seedance", "A video from a Seedance model, in its own format"], {
    body: {
      model: "seedance-1-0-pro",
      content: [{ type: "text", text: "A boat on a lake" }],
      duration: 5,
      resolution: "720p",
    },
  });
  await call("videos.cancel", ["task", "A task"], { path: { id: String(later["id"]) } });
}
