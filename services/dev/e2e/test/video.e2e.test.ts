import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Receiver, startReceiver } from "@uag/harness/fleet/receiver";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { requests, text } from "./video/requests.ts";

const path = "/v1/videos/generations";

type Json = Record<string, unknown>;

interface Task {
  readonly id: string;
  readonly status: string;
  readonly content?: { readonly video_url: string };
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly seed?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

describe("video through the public server", () => {
  let fleet: TestFleet;
  let receiver: Receiver;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "video-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const services = ["billing", "metering", "notifications", "media", "video", "router"];
    receiver = resources.use(await startReceiver({ refuseEvery: 0 }));
    const egressAllow = receiver.address;
    fleet = resources.use(await startTestFleet({ dataDir, services, env: { SIM_TASK_MS: "700" }, egressAllow }));
  });
  after(() => resources.disposeAsync());

  for (const [title, body, usd] of requests) {
    test(`${title}: accepted with 202, generated, and billed as priced`, async () => {
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
        { what: "the task to end" },
      );
      assert.equal(task.status, "succeeded", JSON.stringify(task));
      const url = task.content?.video_url ?? "";
      // xAI does not document how long it stores its files, so they are stored here.
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

  test("each of the three ways to wait returns 200 with the finished task", async () => {
    const body = { model: "grok-imagine-video", prompt: "a boat", duration: 2, resolution: "480p" };
    const responses = await Promise.all([
      fleet.client.post(path, body, { headers: { prefer: "wait=30" } }),
      fleet.client.post(`${path}?wait=30`, body),
      fleet.client.post(path, { ...body, wait: true }),
    ]);
    for (const response of responses) {
      assert.equal(response.status, 200, response.text);
      assert.equal(response.json<Task>().status, "succeeded");
    }
  });

  test("a failed task is reported with 200 and the provider's reason, and costs nothing", async () => {
    const rule = { match: { model: "wan2.6-t2v", count: 1 }, faults: { "task-fail": "The sea is closed." } };
    await fetch(`${fleet.run.simulator_url}/sim/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(rule),
    });
    const body = { model: "beta2.6-t2v", duration: 5, input: text, wait: 30 };
    const response = await fleet.client.post(path, body);
    assert.equal(response.status, 200);
    const { status, error } = response.json<Task>();
    assert.deepEqual([status, error?.code], ["failed", "failed"]);
    assert.match(error?.message ?? "", /The sea is closed/);
  });

  const admin = async (method: string, path: string, body?: object): Promise<{ status: number; json: Json }> => {
    const { base_url, admin: administrator } = fleet.run;
    const response = await fetch(`${base_url}/admin/v1/webhooks${path}`, {
      method,
      headers: { authorization: `Bearer ${administrator.token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as Json };
  };

  test("administrators create signing secrets, see every attempt of a webhook, and replay it", async () => {
    const accountId = fleet.run.account_id;
    const made = await admin("POST", "/secrets", { account_id: accountId });
    assert.equal(made.status, 201, JSON.stringify(made.json));
    receiver.secret = String(made.json["secret"]);
    const second = await admin("POST", "/secrets", { account_id: accountId, overlap_seconds: 60 });
    const listed = (await admin("GET", `/secrets?account=${accountId}`)).json["data"] as Json[];
    assert.deepEqual(
      listed.map(({ id }) => id),
      [second.json["id"], made.json["id"]],
    );
    assert.equal(JSON.stringify(listed).includes("whsec_"), false);
    const body = { model: "grok-imagine-video", prompt: "a boat", duration: 1, resolution: "480p", wait: 30 };
    const task = (await fleet.client.post(path, { ...body, webhook_url: receiver.url })).json<Task>();
    const delivered = async (): Promise<Json | undefined> => {
      const { json } = await admin("GET", `/deliveries?task=${task.id}&state=delivered&limit=1`);
      return (json["data"] as Json[])[0];
    };
    const delivery = await waitFor(delivered, { what: "the delivery" });
    const [first] = receiver.received;
    assert.deepEqual([first?.id, first?.task.id, first?.verified], [delivery["id"], task.id, true]);
    assert.equal((delivery["attempts"] as Json[])[0]?.["status"], 204);
    const shown = await admin("GET", `/deliveries/${delivery["id"]}`);
    assert.equal(JSON.parse(String(shown.json["body"])).data.id, task.id);
    assert.equal((await admin("DELETE", `/secrets/${made.json["id"]}`)).status, 200);
    receiver.secret = String(second.json["secret"]);
    assert.equal((await admin("POST", `/deliveries/${delivery["id"]}/replay`)).status, 202);
    await waitFor(() => receiver.received.length === 2, { what: "the replay" });
    assert.deepEqual([receiver.received[1]?.id, receiver.received[1]?.verified], [delivery["id"], true]);
  });

  for (const [what, method, target, body, status, param] of [
    ["no account", "POST", "/secrets", {}, 400, "account_id"],
    ["an account that does not exist", "POST", "/secrets", { account_id: "nobody" }, 404, undefined],
    ["a negative overlap", "POST", "/secrets", { account_id: "a", overlap_seconds: -1 }, 400, "overlap_seconds"],
    ["secrets without an account", "GET", "/secrets", undefined, 400, "account"],
    ["a secret that does not exist", "DELETE", "/secrets/whs_none", undefined, 404, "id"],
    ["a state that does not exist", "GET", "/deliveries?state=weird", undefined, 400, "state"],
    ["an unknown cursor", "GET", "/deliveries?after=weird", undefined, 400, "after"],
    ["a page of size 0", "GET", "/deliveries?limit=0", undefined, 400, "limit"],
    ["a delivery that does not exist", "GET", "/deliveries/msg_none", undefined, 404, "id"],
    ["a replay of an unknown delivery", "POST", "/deliveries/msg_none/replay", undefined, 404, "id"],
  ] as const) {
    test(`the admin API of webhooks refuses ${what}`, async () => {
      const response = await admin(method, target, body);
      assert.equal(response.status, status, JSON.stringify(response.json));
      if (param !== undefined) assert.equal((response.json["error"] as Json)["param"], param);
    });
  }

  test("after all tests the books are exact and no money is held", async () => {
    const idle = async (): Promise<boolean> => {
      const { data } = (await fleet.client.get(`${path}?limit=100`)).json<{ data: Task[] }>();
      return data.every(({ status }) => !["submitted", "queued", "running"].includes(status));
    };
    await waitFor(idle, { what: "every task to end" });
    const held = async (): Promise<boolean> => {
      const { books } = await fleet.audit();
      return books.accounts.every(({ heldNanoUsd }) => heldNanoUsd === 0n);
    };
    await waitFor(held, { what: "every hold to be released" });
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
