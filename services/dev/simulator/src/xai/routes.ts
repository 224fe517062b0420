import type { Provider, Reply } from "../http/types.ts";
import { grokChat } from "./chat.ts";
import { grokImageEdits, grokImages } from "./images.ts";
import { grokModelIds } from "./models.ts";
import { xaiProtocol } from "./protocol.ts";
import { grokResponses } from "./responses.ts";
import { grokVideoStatus } from "./video-tasks.ts";
import { grokVideo, grokVideoEdit, grokVideoExtension } from "./videos.ts";

const modelsMadeAt = 1_752_019_200;

function listModels(): Reply {
  const data = grokModelIds().map((id) => ({ id, object: "model", created: modelsMadeAt, owned_by: "xai" }));
  return { type: "json", status: 200, body: { object: "list", data } };
}

export const xai: Provider = {
  name: "xai",
  prefix: "/xai",
  protocol: xaiProtocol,
  routes: [
    { method: "POST", path: "/v1/chat/completions", operation: "chat.completions", handle: grokChat },
    { method: "POST", path: "/v1/responses", operation: "responses", handle: grokResponses },
    { method: "GET", path: "/v1/models", operation: "models.list", handle: listModels },
    { method: "POST", path: "/v1/images/generations", operation: "images.generations", handle: grokImages },
    { method: "POST", path: "/v1/images/edits", operation: "images.edits", handle: grokImageEdits },
    { method: "POST", path: "/v1/videos/generations", operation: "videos.create", handle: grokVideo },
    { method: "POST", path: "/v1/videos/edits", operation: "videos.edit", handle: grokVideoEdit },
    { method: "POST", path: "/v1/videos/extensions", operation: "videos.extend", handle: grokVideoExtension },
    { method: "GET", path: "/v1/videos/{id}", operation: "videos.get", handle: grokVideoStatus },
  ],
};
