import assert from "node:assert/strict";
import type { Simulator } from "../src/service.ts";
import type { TaskView } from "../src/tasks/task.ts";
import { send } from "./support.ts";

/** The parsed body of a 200. */
export async function good(simulator: Simulator, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const { status, text } = await send(simulator, path, body, headers);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

const patienceMs = 90_000;

/** Polls until the response fits; fails with the last one on timeout. */
export async function until<T>(call: () => Promise<T>, fits: (response: T) => boolean): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const response = await call();
    if (fits(response)) return response;
    assert.ok(performance.now() < end, `after ${patienceMs} ms still: ${JSON.stringify(response)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The newest task according to the control API. */
export async function lastTask(simulator: Simulator): Promise<TaskView> {
  const { tasks } = (await good(simulator, "/sim/tasks")) as { tasks: TaskView[] };
  const last = tasks.at(-1);
  assert.ok(last);
  return last;
}

/** The bytes behind a URL that must be served. */
export async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return Buffer.from(await response.arrayBuffer());
}
