import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";
import { waitFor } from "@uag/kit/testing/wait-for.ts";
import { scratchDatabase } from "@uag/testing/scratch-database.ts";
import { startProvider, type TestProvider } from "./provider.ts";
import type { Begin } from "./replica-process.ts";
import { startReplica, TestBooks } from "./support.ts";

interface View {
  readonly status: string;
  readonly error?: { readonly message: string };
}

/** Kills the process at one point of its submission; resolves once it has exited. */
type Killing = (child: ChildProcess, provider: TestProvider) => Promise<unknown>;

const beforeRequest: Killing = async (child) => {
  await once(child, "message");
  child.kill("SIGKILL");
  await once(child, "exit");
};

const beforeResponse: Killing = async (child, provider) => {
  provider.create = "hang";
  provider.onMade = () => child.kill("SIGKILL");
  await once(child, "exit");
};

/** The response reaches the process's socket and is never read. */
const beforeTheIdIsStored: Killing = async (child, provider) => {
  provider.onMade = () => {
    child.kill("SIGSTOP");
    setTimeout(() => child.kill("SIGKILL"), 50);
  };
  await once(child, "exit");
};

interface Point {
  readonly title: string;
  readonly stopsAtHold: boolean;
  readonly kill: Killing;
  readonly status: "succeeded" | "failed";
}

const points: readonly Point[] = [
  { title: "before the provider is asked", stopsAtHold: true, kill: beforeRequest, status: "failed" },
  { title: "before the provider answers", stopsAtHold: false, kill: beforeResponse, status: "succeeded" },
  {
    title: "when the answer is there and its id is not stored",
    stopsAtHold: false,
    kill: beforeTheIdIsStored,
    status: "succeeded",
  },
];

describe("a submission whose process is killed with -9 is found again or fails; it is never made or charged twice", () => {
  for (const { title, stopsAtHold, kill, status } of points) {
    test(`killed ${title}, a submission is found again or fails`, async () => {
      await using at = scratchDatabase();
      await using provider = await startProvider();
      const child = fork(join(import.meta.dirname, "replica-process.ts"));
      const { url, database } = at;
      const begin: Begin = { at: { url, database }, provider: provider.url, requestId: "req_1", stopsAtHold };
      child.send(begin);
      await kill(child, provider);
      assert.equal(child.signalCode, "SIGKILL");
      provider.create = "ok";
      const books = new TestBooks();
      await using replica = await startReplica({ at, books, providers: [provider.url] });
      for (const task of provider.tasks.values()) task.word = "SUCCEEDED";
      const tasks = async (): Promise<View[]> => (await replica.call("videos.list")).json<{ data: View[] }>().data;
      await waitFor(async () => (await tasks()).every((task) => task.status === status), { what: "the end" });
      const [task, ...others] = await tasks();
      assert.deepEqual(others, []);
      if (status === "failed") assert.match(task?.error?.message ?? "", /It was not charged/);
      await waitFor(() => books.bills.size === 1 && books.open.length === 0, { what: "the bill" });
      assert.equal(books.bills.get("req_1")?.costNanoUsd, status === "succeeded" ? 500_000_000n : 0n);
      assert.equal(provider.tasks.size, status === "succeeded" ? 1 : 0);
      assert.equal(books.conflicts, 0);
    });
  }
});
