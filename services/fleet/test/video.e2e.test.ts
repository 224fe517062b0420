import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { soakVideo } from "../src/soak/video.ts";
import { waitFor } from "../src/testing/wait-for.ts";
import { startTestFleet, type TestFleet } from "../src/testing/with-fleet.ts";

const path = "/v1/videos/generations";

interface Task {
  readonly id: string;
  readonly status: string;
  readonly content?: { readonly video_url: string };
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly seed?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

const text = { prompt: "a boat" };
const picture = "https://example.com/boat.png";

/** A request of every family, and what it costs, USD. */
const requests: readonly (readonly [title: string, body: object, usd: number | undefined])[] = [
  [
    "Beta 2.5 at 480p",
    { model: "beta2.5-t2v-preview", duration: 5, resolution: "480p", input: text, parameters: { size: "832*480" } },
    0.25,
  ],
  [
    "Beta 2.6 text, as the contract shows it",
    {
      model: "beta2.6-t2v",
      duration: 5,
      resolution: "720p",
      aspect_ratio: "16:9",
      input: text,
      parameters: { size: "1280*720", duration: 5, shot_type: "multi", prompt_extend: true },
    },
    0.5,
  ],
  [
    "Beta 2.6 image",
    {
      model: "beta2.6-i2v",
      duration: 5,
      resolution: "1080p",
      input: { ...text, img_url: picture },
      parameters: { size: "1920*1080", duration: 5 },
    },
    0.75,
  ],
  [
    "Beta 2.6 image, fast and silent",
    { model: "beta2.6-i2v-flash", duration: 10, input: { img_url: picture }, parameters: { audio: false } },
    0.25,
  ],
  ["Beta 2.6 references", { model: "beta2.6-r2v", duration: 5, input: { ...text, reference_urls: [picture] } }, 0.5],
  [
    "Beta 2.7 text",
    {
      model: "beta2.7-t2v",
      duration: 5,
      resolution: "720p",
      input: text,
      parameters: { resolution: "720P", duration: 5, prompt_extend: true, watermark: false },
    },
    0.5,
  ],
  [
    "Beta 2.7 image, of a day",
    { model: "beta2.7-i2v-2026-05-01", duration: 4, input: { media: [{ type: "first_frame", url: picture }] } },
    0.4,
  ],
  [
    "Beta 2.7 references",
    { model: "beta2.7-r2v", duration: 5, input: { ...text, media: [{ type: "reference_image", url: picture }] } },
    0.5,
  ],
  [
    "HappyHorse with nine references",
    {
      model: "happyhorse-1.0-r2v",
      input: { ...text, media: Array.from({ length: 9 }, () => ({ type: "reference_image", url: picture })) },
    },
    0.7,
  ],
  [
    "Seedance of 30 seconds",
    { model: "seedance-2-5", duration: 30, resolution: "480p", content: [{ type: "text", text: "a boat" }], seed: 7 },
    undefined,
  ],
  [
    "Seedance from first to last frame, without sound",
    {
      model: "seedance-1-5-pro",
      generate_audio: false,
      content: [
        { type: "text", text: "a boat" },
        { type: "image_url", image_url: { url: picture }, role: "first_frame" },
        { type: "image_url", image_url: { url: picture }, role: "last_frame" },
      ],
    },
    undefined,
  ],
  ["Grok", { model: "grok-imagine-video", prompt: "a boat", duration: 6, resolution: "720p" }, 0.42],
];

describe("video through the public door", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "video-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const services = ["billing", "metering", "media", "video", "router"];
    fleet = resources.use(await startTestFleet({ dataDir, services, env: { SIM_TASK_MS: "700" } }));
  });
  after(() => resources.disposeAsync());

  for (const [title, body, usd] of requests) {
    test(`${title}: taken with 202, made, and billed what was said`, async () => {
      const submitted = await fleet.client.post(path, body);
      assert.equal(submitted.status, 202, submitted.text);
      const { id, status } = submitted.json<Task>();
      assert.equal(status, "submitted");
      assert.match(id, title.startsWith("Seedance") ? /^cgt-/ : /^[0-9a-f-]{36}$/);
      const task = await waitFor(
        async () => {
          const found = (await fleet.client.get(`${path}/${id}`)).json<Task>();
          return ["submitted", "queued", "running"].includes(found.status) ? undefined : found;
        },
        { timeoutMs: 30_000, what: "the end of the task" },
      );
      assert.equal(task.status, "succeeded", JSON.stringify(task));
      const url = task.content?.video_url ?? "";
      // xAI does not say how long it keeps its files, so they are kept here.
      assert.equal(url.startsWith(`${fleet.run.base_url}/assets/`), title === "Grok", url);
      const file = await fetch(url);
      const bytes = Buffer.from(await file.arrayBuffer());
      assert.equal(bytes.toString("latin1", 4, 8), "ftyp");
      const requestId = submitted.headers.get("x-request-id");
      const { books } = await fleet.audit();
      const cost = books.billed.find((bill) => bill.requestId === requestId)?.costNanoUsd ?? 0n;
      if (usd === undefined) assert.ok(cost > 0n);
      else assert.equal(cost, BigInt(Math.round(usd * 1e9)));
    });
  }

  test("the three ways of waiting answer 200 with the finished task", async () => {
    const body = { model: "grok-imagine-video", prompt: "a boat", duration: 2, resolution: "480p" };
    const answers = await Promise.all([
      fleet.client.post(path, body, { headers: { prefer: "wait=30" } }),
      fleet.client.post(`${path}?wait=30`, body),
      fleet.client.post(path, { ...body, wait: true }),
    ]);
    for (const answer of answers) {
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json<Task>().status, "succeeded");
    }
  });

  test("a failed task is told with 200 and the provider's reason, and costs nothing", async () => {
    const rule = { match: { model: "wan2.6-t2v", count: 1 }, faults: { "task-fail": "The sea is closed." } };
    await fetch(`${fleet.run.simulator_url}/sim/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(rule),
    });
    const body = { model: "beta2.6-t2v", duration: 5, input: text, wait: 30 };
    const answer = await fleet.client.post(path, body);
    assert.equal(answer.status, 200);
    const { status, error } = answer.json<Task>();
    assert.deepEqual([status, error?.code], ["failed", "failed"]);
    assert.match(error?.message ?? "", /The sea is closed/);
  });

  test("what is not valid costs nothing and makes no task", async () => {
    const t2v = { model: "beta2.7-t2v", duration: 5, input: text };
    const before = (await fleet.client.get(`${path}?limit=100`)).json<{ data: Task[] }>().data.length;
    for (const body of [
      { ...t2v, duration: undefined },
      { ...t2v, duration: 0 },
      { ...t2v, duration: "5" },
      { ...t2v, duration: 1e9 },
      { ...t2v, resolution: "480p" },
      { ...t2v, model: "beta2.6-i2v" },
      { ...t2v, model: "beta2.6-t2v", input: { ...text, reference_urls: [picture] } },
      { ...t2v, parameters: { resolution: "1080P" } },
      { ...t2v, webhook_url: "http://169.254.169.254/" },
    ]) {
      const answer = await fleet.client.post(path, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.equal(answer.json<{ error: { type: string } }>().error.type, "invalid_request_error");
    }
    assert.equal((await fleet.client.get(`${path}?limit=100`)).json<{ data: Task[] }>().data.length, before);
  });

  test("the same Idempotency-Key makes and bills one task", async () => {
    const body = { model: "beta2.6-t2v", duration: 5, input: text };
    const headers = { "idempotency-key": "once" };
    const [first, second] = [
      await fleet.client.post(path, body, { headers }),
      await fleet.client.post(path, body, { headers }),
    ];
    assert.equal(second.json<Task>().id, first.json<Task>().id);
    assert.equal(second.headers.get("idempotent-replayed"), "true");
    const reused = await fleet.client.post(path, { ...body, duration: 10 }, { headers });
    assert.equal(reused.status, 422);
  });

  test("in the end the books are exact and nothing is held", async () => {
    const idle = async (): Promise<boolean> => {
      const { data } = (await fleet.client.get(`${path}?limit=100`)).json<{ data: Task[] }>();
      return data.every(({ status }) => !["submitted", "queued", "running"].includes(status));
    };
    await waitFor(idle, { timeoutMs: 30_000, what: "the end of every task" });
    const held = async (): Promise<boolean> => {
      const { books } = await fleet.audit();
      return books.accounts.every(({ heldNanoUsd }) => heldNanoUsd === 0n);
    };
    await waitFor(held, { timeoutMs: 30_000, what: "the release of every hold" });
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});

test("60 tasks with webhooks while video is killed with -9: each ends, is charged as it ended, and told of under one id", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "video-soak-"));
  try {
    const report = await soakVideo({
      tasks: 60,
      seed: 3,
      kill: ["video", "video-2"],
      killEveryMs: 3_000,
      dataDir,
      replicas: 2,
      concurrency: 6,
    });
    assert.deepEqual(report.violations, [], JSON.stringify(report));
    assert.equal(report.tasks, 60);
    assert.ok(report.kills > 0);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
