import { credentialOf, onlyCredential } from "@uag/catalog/credential";
import type { Protocol, Upstream } from "@uag/catalog/types";
import type { VideoAdapter, VideoState } from "../src/video/types.ts";
import { testTransport } from "./transport.ts";

/** A provider of videos. */
export const upstream = (protocol: Protocol): Upstream => ({
  provider: {
    name: protocol,
    protocol,
    origin: "https://provider.example",
    basePath: "",
    apiKey: "sk-secret-1234",
    credential: credentialOf(protocol, onlyCredential, { apiKey: "" }),
    inUse: [],
    simulated: false,
    seed: 0,
    enabled: true,
    accesses: new Map(),
    headers: [],
    timeouts: { connectMs: 1, firstByteMs: 1, betweenChunksMs: 1, totalMs: 1 },
    transport: testTransport(),
    developerRole: true,
    openAiOptions: new Set(),
    freeFields: new Set(),
    onAbort: undefined,
    cachesFromTokens: undefined,
  },
  model: "model",
  weight: 1,
  priority: 0,
});
/** Reads a response about a task with the adapter. */
export const read = (adapter: VideoAdapter, body: object, status = 200): VideoState => {
  const response = { status, body: body as Record<string, unknown>, bytes: JSON.stringify(body).length };
  return adapter.read(response, upstream("dashscope"));
};
/** A task's order. */
export const order = { requestId: "req_1", taskId: "task-1", body: { input: { prompt: "x" }, parameters: {} } };
