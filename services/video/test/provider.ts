import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Word = "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELED" | "UNKNOWN";

/** A task as the test provider stores it. */
export interface ProviderTask {
  readonly id: string;
  readonly model: string;
  readonly prompt: string;
  readonly requestId: string;
  word: Word;
  /** What its usage reports; 5 by default. */
  seconds?: number;
  polls: number;
}

/** The responses to the next creations: `lost` creates the task and breaks the connection. */
type CreateMode = "ok" | "lost" | "hang" | "invalid" | "unauthorized" | "overloaded" | "broken";

export interface TestProvider extends AsyncDisposable {
  readonly url: string;
  readonly tasks: Map<string, ProviderTask>;
  create: CreateMode;
  /** The responses to polls. */
  poll: "ok" | "error";
  /** Duration of the next poll, milliseconds. */
  delayMs: () => number;
  /** Called when a task is created, before the response. */
  onMade: () => void;
  /** Called at the beginning and end of a poll, with its path. */
  onPoll: (when: "begins" | "ends", id: string, path: string) => void;
}

const errors: Partial<Record<CreateMode, readonly [status: number, body: object | string]>> = {
  invalid: [400, { code: "InvalidParameter", message: "The prompt is not nice.", request_id: "r" }],
  unauthorized: [401, { code: "InvalidApiKey", message: "Invalid API-key provided.", request_id: "r" }],
  overloaded: [429, { code: "Throttling.RateQuota", message: "Slow down.", request_id: "r" }],
  broken: [502, "<html>Bad Gateway</html>"],
};

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** DashScope's response about a task. */
function stateOf(task: ProviderTask): object {
  const output = { task_id: task.id, task_status: task.word, orig_prompt: task.prompt };
  if (task.word === "FAILED") return { output: { ...output, code: "InternalError", message: "It went wrong." } };
  if (task.word !== "SUCCEEDED") return { output };
  const usage = { duration: task.seconds ?? 5, SR: 720, video_count: 1 };
  return { output: { ...output, video_url: `https://video.example/${task.id}.mp4` }, usage };
}

/** A provider with DashScope's video protocol, reduced to what the tests need. */
export async function startProvider(): Promise<TestProvider> {
  const tasks = new Map<string, ProviderTask>();
  const create = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { model, input } = JSON.parse(await textOf(request));
    const error = errors[provider.create];
    if (error !== undefined) {
      const [status, body] = error;
      if (typeof body === "object") json(response, status, body);
      else response.writeHead(status, { "content-type": "text/html" }).end(body);
      return;
    }
    const id = `up-${tasks.size + 1}`;
    const requestId = String(request.headers["x-client-request-id"]);
    tasks.set(id, { id, model, prompt: input.prompt, requestId, word: "PENDING", polls: 0 });
    provider.onMade();
    if (provider.create === "lost") request.socket.destroy();
    else if (provider.create !== "hang")
      json(response, 200, { request_id: "r", output: { task_id: id, task_status: "PENDING" } });
  };
  const poll = async (id: string, path: string, response: ServerResponse): Promise<void> => {
    provider.onPoll("begins", id, path);
    const task = tasks.get(id);
    if (task !== undefined) task.polls++;
    const unknown = { output: { task_id: id, task_status: "UNKNOWN" } };
    await sleep(provider.delayMs());
    provider.onPoll("ends", id, path);
    if (provider.poll === "error") response.writeHead(500).end();
    else json(response, 200, task === undefined ? unknown : stateOf(task));
  };
  const cancel = (id: string, response: ServerResponse): void => {
    const task = tasks.get(id);
    const cancels = task?.word === "PENDING";
    if (cancels) task.word = "CANCELED";
    if (cancels) json(response, 200, { request_id: "r" });
    else json(response, 400, { code: "UnsupportedOperation", message: "Not pending." });
  };
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const [, id, action] = /\/tasks\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    if (path.endsWith("/video-synthesis")) return await create(request, response);
    if (id !== undefined && action !== undefined) return cancel(id, response);
    if (id !== undefined) return await poll(id, path, response);
    const data = [...tasks.values()].map((task) => ({ task_id: task.id, status: task.word }));
    return json(response, 200, { total: data.length, data });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const provider: TestProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tasks,
    create: "ok",
    poll: "ok",
    delayMs: () => 0,
    onMade: () => {},
    onPoll: () => {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
