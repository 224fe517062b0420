import type { Provider, Reply } from "../http/types.ts";
import { vendorChat } from "./chat.ts";
import { vendorProtocol } from "./protocol.ts";

const examples = ["deepseek-flash", "deepseek-reasoner", "kimi-k3", "kimi-k2-thinking"];

function listModels(): Reply {
  const data = examples.map((id) => ({ id, object: "model", owned_by: "vendor" }));
  return { type: "json", status: 200, body: { object: "list", data } };
}

export const vendor: Provider = {
  name: "vendor",
  prefix: "/vendor",
  protocol: vendorProtocol,
  routes: [
    { method: "POST", path: "/v1/chat/completions", operation: "chat.completions", handle: vendorChat },
    { method: "GET", path: "/v1/models", operation: "models.list", handle: listModels },
  ],
};
