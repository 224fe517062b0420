import assert from "node:assert/strict";
import { test } from "node:test";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { connectMongo } from "@uag/mongo/connect";
import type { Created } from "../src/store/changes.ts";
import type { TaskDocument } from "../src/store/task.ts";
import { TaskStore } from "../src/store/tasks.ts";
import { newTaskId } from "../src/tasks/ids.ts";
import { viewOf } from "../src/tasks/view.ts";

const newTask = (): TaskDocument => {
  const id = newTaskId();
  const now = new Date();
  return {
    _id: id,
    ids: [id],
    accountId: "acct",
    keyId: "key",
    requestId: `req_${id}`,
    model: "seedance-1-0-pro",
    family: "seedance",
    provider: "ark",
    upstreamModel: "seedance-1-0-pro",
    status: "submitted",
    upstreamStatus: "",
    hidden: false,
    createdAt: now,
    updatedAt: now,
    expiresAt: now,
    live: true,
    dueAt: now,
    claim: "",
    polls: 0,
    misses: 0,
    terms: { seconds: 5, inputSeconds: 0, resolution: "480p", aspectRatio: "16:9", variants: [] },
    holdNanoUsd: 1n,
    priceVersion: "1",
    rates: [],
    promptHash: "",
  };
};

const made = ({ provider, upstreamModel, status }: TaskDocument, upstreamId: string): Created => ({
  upstreamId,
  ids: [upstreamId],
  grantId: "grant",
  provider,
  upstreamModel,
  status,
  dueAt: new Date(),
});

test("shows a task under the provider's id, or permanently under ours if its owner received that one first", async () => {
  await using at = scratchDatabase();
  const connection = await connectMongo({
    url: at.url,
    database: at.database,
    service: "video",
    maxPoolSize: 2,
    readConcern: "majority",
  });
  const tasks = new TaskStore(connection);
  await tasks.open();
  const [unseen, reported, late] = [newTask(), newTask(), newTask()];
  for (const task of [unseen, reported, late]) await tasks.insert(task);

  assert.equal(viewOf(await tasks.recordResponse(reported)).id, reported._id);
  for (const [task, id] of [
    [unseen, "cgt-1"],
    [reported, "cgt-2"],
    [late, "cgt-3"],
  ] as const) {
    const stored = await tasks.created(task._id, made(task, id));
    assert.equal(viewOf(stored as TaskDocument).id, task === reported ? reported._id : id);
  }
  assert.equal(viewOf(await tasks.recordResponse(late)).id, "cgt-3");
  for (const id of [reported._id, "cgt-2"]) assert.equal((await tasks.find("acct", id))?._id, reported._id);
  assert.equal(await tasks.created(reported._id, made(reported, "cgt-4")), undefined);
  await connection.close();
});
