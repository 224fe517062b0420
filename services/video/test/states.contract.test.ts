import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { waitFor } from "@uag/harness/testing/wait-for";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { type ProviderTask, startProvider, type TestProvider, type Word } from "./provider.ts";
import { order, type Replica, startReplica, TestBooks } from "./support.ts";

const taskCount = 30;
/**
 * A poll may take nearly as long as the claim: claims expire midway, and responses arrive late and
 * twice.
 */
const env = { POLL_TIMEOUT_MS: "100", CREATE_TIMEOUT_MS: "150", POLL_SCALE: "0.002" };
const next: Readonly<Record<string, readonly Word[]>> = {
  PENDING: ["RUNNING", "RUNNING", "CANCELED", "UNKNOWN"],
  RUNNING: ["SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "FAILED"],
};

interface Run {
  readonly provider: TestProvider;
  readonly books: TestBooks;
  readonly random: () => number;
}

/** Advances the provider's tasks at random until none can advance. */
async function moveOn({ provider, random }: Run, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const movable = [...provider.tasks.values()].filter(({ word }) => next[word] !== undefined);
    const task = movable[Math.floor(random() * movable.length)];
    const words = next[task?.word ?? ""];
    if (task !== undefined && words !== undefined) task.word = words[Math.floor(random() * words.length)] as Word;
    await sleep(random() * 30);
  }
}

interface Moving extends AsyncDisposable {
  stop(): Promise<void>;
}

function startMoving(run: Run): Moving {
  const controller = new AbortController();
  const moving = moveOn(run, controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort();
    await moving;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

/** Submits each task to a random replica; the provider loses some of its responses. */
async function submitAll(replicas: readonly Replica[], { provider, random }: Run): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < taskCount; n++) {
    provider.create = random() < 0.15 ? "lost" : "ok";
    const replica = replicas[Math.floor(random() * replicas.length)] as Replica;
    const response = await replica.call("videos.generations", order({ input: { prompt: `take ${n}` } }), {
      requestId: `req_${n}`,
    });
    assert.equal(response.status, 202, response.text);
    ids.push(response.json<{ id: string }>().id);
  }
  provider.create = "ok";
  return ids;
}

async function statusesOf(replica: Replica, ids: readonly string[]): Promise<string[]> {
  const responses = await Promise.all(ids.map((id) => replica.call("videos.get", undefined, { id })));
  return responses.map((response) => response.json<{ status: string }>().status);
}

const ends = ["succeeded", "failed", "cancelled", "expired"];

function checkEnds({ provider, books }: Run, statuses: readonly string[]): void {
  const byRequest = new Map([...provider.tasks.values()].map((task): [string, ProviderTask] => [task.requestId, task]));
  assert.equal(byRequest.size, provider.tasks.size, "no task is created twice");
  assert.equal(books.bills.size, taskCount);
  assert.equal(books.conflicts, 0);
  for (const [n, status] of statuses.entries()) {
    const bill = books.bills.get(`req_${n}`);
    const made = byRequest.get(`req_${n}`);
    assert.equal(bill?.outcome === Outcome.COMPLETED, status === "succeeded");
    assert.equal(bill?.costNanoUsd, status === "succeeded" ? 500_000_000n : 0n);
    if (status === "succeeded") assert.equal(made?.word, "SUCCEEDED");
    if (status === "cancelled") assert.equal(made?.word, "CANCELED");
  }
}

describe("every task ends once and is billed once by its terminal state", () => {
  for (const seed of [1, 2, 3]) {
    test(`with late, duplicate and lost responses, expired claims, failing billing and a stopped replica: seed ${seed}`, async () => {
      const random = seededRandom(seed);
      await using at = scratchDatabase();
      await using provider = await startProvider();
      const books = new TestBooks();
      const run = { provider, books, random };
      provider.delayMs = () => (random() < 0.3 ? random() * 95 : 0);
      books.disturb = () => {
        if (random() < 0.2) throw new GatewayError("service_unavailable");
      };
      const start = (): Promise<Replica> => startReplica({ at, books, providers: [provider.url], env });
      await using stays = await start();
      await using alsoStays = await start();
      const goes = await start();
      await using moving = startMoving(run);
      const ids = await submitAll([stays, alsoStays, goes], run);
      await goes[Symbol.asyncDispose]();
      await waitFor(async () => (await statusesOf(stays, ids)).every((status) => ends.includes(status)), {
        what: "every end",
      });
      await waitFor(() => books.open.length === 0, { what: "every bill" });
      await moving.stop();
      checkEnds(run, await statusesOf(alsoStays, ids));
    });
  }
});
