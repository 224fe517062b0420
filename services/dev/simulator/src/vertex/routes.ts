import { messages } from "../anthropic/messages.ts";
import { rejectAnthropic } from "../anthropic/protocol.ts";
import { generateContent, streamGenerateContent } from "../gemini/generate.ts";
import { geminiProtocol } from "../gemini/protocol.ts";
import { googleTokens } from "../google/tokens.ts";
import type { Call, Protocol, Provider, Reply } from "../http/types.ts";

/** A token of a service account, or an API key. */
const protocol: Protocol = {
  ...geminiProtocol,
  provider: "vertex",
  credential(headers) {
    const key = headers["x-goog-api-key"];
    return typeof key === "string" ? key : googleTokens.credentialIn(headers.authorization);
  },
  unauthorized: (credential) =>
    credential?.includes("ya29.") === true
      ? geminiProtocol.error({ status: 401 })
      : geminiProtocol.unauthorized(credential),
};

/** https://docs.claude.com/en/api/claude-on-vertex-ai: the model is in the path, the version in the body. */
function rawPredict(call: Call, streams: boolean): Reply {
  const { anthropic_version: version, ...body } = call.body as Record<string, unknown>;
  if (version !== "vertex-2023-10-16") throw rejectAnthropic(400, "anthropic_version: Field required");
  if ("model" in body) throw rejectAnthropic(400, "model: Extra inputs are not permitted");
  if ((body["stream"] === true) !== streams) throw rejectAnthropic(400, "stream: does not match the method");
  const model = call.model?.replace("@", "-") ?? "";
  const headers = { ...call.headers, "anthropic-version": "2023-06-01" };
  return messages({ ...call, model, headers, body: { ...body, model } });
}

const place = "/v1beta1/projects/{project}/locations/{location}/publishers";

/** Google's Vertex AI. */
export const vertex: Provider = {
  name: "vertex",
  prefix: "/vertex",
  protocol,
  routes: [
    {
      method: "POST",
      path: `${place}/google/models/{model}:generateContent`,
      operation: "generateContent",
      streams: false,
      handle: generateContent,
    },
    {
      method: "POST",
      path: `${place}/google/models/{model}:streamGenerateContent`,
      operation: "streamGenerateContent",
      streams: true,
      handle: streamGenerateContent,
    },
    {
      method: "POST",
      path: `${place}/anthropic/models/{model}:rawPredict`,
      operation: "messages",
      streams: false,
      handle: (call) => rawPredict(call, false),
    },
    {
      method: "POST",
      path: `${place}/anthropic/models/{model}:streamRawPredict`,
      operation: "messages",
      streams: true,
      handle: (call) => rawPredict(call, true),
    },
  ],
};
