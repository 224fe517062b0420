import type { Provider } from "../http/types.ts";
import { multimodalGeneration } from "./generation.ts";
import { nativeProtocol } from "./protocol.ts";
import { cancelTask, getTask, listTasks } from "./video-tasks.ts";
import { createVideo } from "./videos.ts";

const services = "/v1/services/aigc";

/** DashScope's own protocol, next to its copy of OpenAI's. */
export const dashScopeNative: Provider = {
  name: "dashscope",
  prefix: "/dashscope/api",
  protocol: nativeProtocol,
  routes: [
    {
      method: "POST",
      path: `${services}/multimodal-generation/generation`,
      operation: "multimodal.generation",
      streams: (headers) => headers["x-dashscope-sse"] === "enable",
      handle: multimodalGeneration,
    },
    {
      method: "POST",
      path: `${services}/video-generation/video-synthesis`,
      operation: "videos.tasks.create",
      streams: false,
      handle: createVideo,
    },
    { method: "GET", path: "/v1/tasks", operation: "videos.tasks.list", handle: listTasks },
    { method: "GET", path: "/v1/tasks/", operation: "videos.tasks.list", handle: listTasks },
    { method: "GET", path: "/v1/tasks/{id}", operation: "videos.tasks.get", handle: getTask },
    {
      method: "POST",
      path: "/v1/tasks/{id}/cancel",
      operation: "videos.tasks.cancel",
      reads: "nothing",
      handle: cancelTask,
    },
  ],
};
