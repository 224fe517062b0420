import type { Provider, Reply } from "../http/types.ts";
import { grokChat } from "./chat.ts";
import { xaiDialect } from "./dialect.ts";
import { grokModelIds } from "./models.ts";

const modelsMadeAt = 1_752_019_200;

function listModels(): Reply {
  const data = grokModelIds().map((id) => ({ id, object: "model", created: modelsMadeAt, owned_by: "xai" }));
  return { type: "json", status: 200, body: { object: "list", data } };
}

export const xai: Provider = {
  name: "xai",
  prefix: "/xai",
  dialect: xaiDialect,
  routes: [
    { method: "POST", path: "/v1/chat/completions", operation: "chat.completions", handle: grokChat },
    { method: "GET", path: "/v1/models", operation: "models.list", handle: listModels },
  ],
};
