import { type Call, type Provider, Rejection, type Reply } from "../http/types.ts";
import { openAiChat } from "../openai/chat.ts";
import { openAiEmbeddings } from "../openai/embeddings.ts";
import { openAiModelIds } from "../openai/models.ts";
import { harmless, withFilterResults } from "./filters.ts";
import { azureProtocol, missingDeployment, rejectAzure } from "./protocol.ts";

type Handler = (call: Call) => Reply;

const filteredText =
  "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766";

function filtered(): Rejection {
  const contentFilterResult = { ...harmless, violence: { filtered: true, severity: "medium" } };
  return rejectAzure(400, "content_filter", filteredText, {
    param: "prompt",
    type: null,
    status: 400,
    innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: contentFilterResult },
  });
}

/** OpenAI's errors as Azure reports them. */
function translated(rejection: Rejection): Rejection {
  const { reply } = rejection;
  if (reply.type !== "json") return rejection;
  const { error } = reply.body as { error: { code: string | null } };
  if (error.code === "model_not_found") return missingDeployment();
  return error.code === "content_policy_violation" ? filtered() : rejection;
}

function served(handle: Handler, call: Call): Reply {
  try {
    return handle(call);
  } catch (cause) {
    throw cause instanceof Rejection ? translated(cause) : cause;
  }
}

/** Of a path with a deployment: the version is required, and the path's deployment decides, not the body's model. */
const atDeployment =
  (handle: Handler): Handler =>
  (call) => {
    requireVersion(call);
    const body = { ...(call.body as object), model: call.model };
    return served(handle, { ...call, body });
  };

function requireVersion({ query }: Call): void {
  if (!/^\d{4}-\d{2}-\d{2}(-preview)?$/.test(query.get("api-version") ?? ""))
    throw rejectAzure(404, "404", "Resource not found");
}

const chat: Handler = (call) => withFilterResults(openAiChat(call));

/** The models that can be deployed: https://learn.microsoft.com/rest/api/azureopenai/models/list */
function listModels(): Reply {
  const data = openAiModelIds().map((id) => ({ id, object: "model", status: "succeeded", created_at: 1_715_367_049 }));
  return { type: "json", status: 200, body: { object: "list", data } };
}

const deployment = "/openai/deployments/{model}";

/** Azure OpenAI: the v1 API, and that of dated versions. Every model has a deployment of its name. */
export const azure: Provider = {
  name: "azure",
  prefix: "/azure",
  protocol: azureProtocol,
  routes: [
    {
      method: "POST",
      path: "/openai/v1/chat/completions",
      operation: "chat.completions",
      handle: (call) => served(chat, call),
    },
    {
      method: "POST",
      path: "/openai/v1/embeddings",
      operation: "embeddings",
      handle: (call) => served(openAiEmbeddings, call),
    },
    { method: "GET", path: "/openai/v1/models", operation: "models.list", handle: listModels },
    {
      method: "POST",
      path: `${deployment}/chat/completions`,
      operation: "chat.completions",
      handle: atDeployment(chat),
    },
    {
      method: "POST",
      path: `${deployment}/embeddings`,
      operation: "embeddings",
      handle: atDeployment(openAiEmbeddings),
    },
    {
      method: "GET",
      path: "/openai/models",
      operation: "models.list",
      handle: (call) => {
        requireVersion(call);
        return listModels();
      },
    },
  ],
};
