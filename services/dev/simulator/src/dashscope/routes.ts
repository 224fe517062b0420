import type { Provider, Reply } from "../http/types.ts";
import { qwenChat } from "./chat.ts";
import { qwenEmbeddings } from "./embeddings.ts";
import { qwenModelIds } from "./models.ts";
import { dashScopeProtocol } from "./protocol.ts";

const modelsMadeAt = 1_722_470_400;

function listModels(): Reply {
  const data = qwenModelIds().map((id) => ({ id, object: "model", created: modelsMadeAt, owned_by: "system" }));
  return { type: "json", status: 200, body: { object: "list", data } };
}

export const dashScope: Provider = {
  name: "dashscope",
  prefix: "/dashscope",
  protocol: dashScopeProtocol,
  routes: [
    { method: "POST", path: "/compatible-mode/v1/chat/completions", operation: "chat.completions", handle: qwenChat },
    { method: "POST", path: "/compatible-mode/v1/embeddings", operation: "embeddings", handle: qwenEmbeddings },
    { method: "GET", path: "/compatible-mode/v1/models", operation: "models.list", handle: listModels },
  ],
};
