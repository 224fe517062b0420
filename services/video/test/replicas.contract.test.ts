import assert from "node:assert/strict";
import { test } from "node:test";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import { startProvider } from "./provider.ts";
import { order, startReplica, TestBooks } from "./support.ts";

const taskCount = 40;
const pollsEach = 5;
/** Far longer than a poll, so that no claim expires on a busy machine. */
const env = { POLL_TIMEOUT_MS: "6000" };

test("replicas share the polling: no task is polled by two at once, none is missed, and one replica takes over from another", async () => {
  await using at = scratchDatabase();
  await using provider = await startProvider();
  provider.delayMs = () => Math.random() * 60;
  const books = new TestBooks();
  const polling = new Map<string, string>();
  const twice: string[] = [];
  const polls = new Map<string, number>();
  provider.onPoll = (when, id, path) => {
    const by = path.split("/", 2)[1] ?? "";
    if (when === "ends") return void polling.delete(id);
    const other = polling.get(id);
    if (other !== undefined) twice.push(`${id} by ${other} and ${by}`);
    polling.set(id, by);
    polls.set(by, (polls.get(by) ?? 0) + 1);
  };
  await using one = await startReplica({ at, books, providers: [`${provider.url}/one`], env });
  await using leaving = new AsyncDisposableStack();
  const two = leaving.use(await startReplica({ at, books, providers: [`${provider.url}/two`], env }));
  for (let n = 0; n < taskCount; n++) {
    const replica = n % 2 === 0 ? one : two;
    const response = await replica.call("videos.generations", order({ input: { prompt: `take ${n}` } }));
    assert.equal(response.status, 202, response.text);
  }
  const tasks = [...provider.tasks.values()];
  for (const task of tasks) task.word = "RUNNING";
  await waitFor(() => tasks.every((task) => task.polls >= pollsEach), { what: "polls at every task" });
  assert.deepEqual(twice, []);
  for (const replica of ["one", "two"]) assert.ok((polls.get(replica) ?? 0) > pollsEach, `polls of ${replica}`);
  await leaving.disposeAsync();
  for (const task of tasks) task.word = "SUCCEEDED";
  await waitFor(() => books.bills.size === taskCount && books.open.length === 0, { what: "every bill" });
  assert.deepEqual(twice, []);
});
