import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { callAdmin } from "@uag/harness/fleet/admin-call";
import type { TestClient, TestResponse } from "@uag/harness/fleet/client";
import { faultHits, setFault } from "@uag/harness/fleet/faults";
import { type LimitedKey, newKey } from "@uag/harness/fleet/limited-key";
import { startTestFleet, type TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { CrashPoint } from "@uag/runtime/crash-point";
import OpenAI from "openai";

interface ResponseObject {
  readonly id: string;
  readonly status: string;
  readonly store: boolean;
}

interface StreamEvent {
  readonly type: string;
  readonly sequence_number?: number;
  readonly response?: ResponseObject;
}

/** What a client has seen of a response. */
interface Seen {
  /** Its id, once anything of it has arrived. */
  readonly id?: string | undefined;
  /** The response, if all of it has arrived. */
  readonly complete?: ResponseObject | undefined;
}

const path = "/v1/responses";
const body = { model: "gpt-4o-mini", input: "say: stored", max_output_tokens: 40 };

/** Sends a request; a connection that breaks is the end of what its client sees. */
async function create(client: TestClient, stream: boolean): Promise<Seen> {
  if (!stream) {
    const response = await client.post(path, body).catch(() => undefined);
    if (response?.status !== 200) return {};
    const complete = response.json<ResponseObject>();
    return { id: complete.id, complete };
  }
  let seen: Seen = {};
  try {
    for await (const { data } of (await client.stream(path, { ...body, stream })).events) {
      const event = JSON.parse(data) as { type: string; response?: ResponseObject };
      seen = { id: event.response?.id ?? seen.id };
      if (event.type === "response.completed") return { ...seen, complete: event.response };
    }
  } catch {
    return seen;
  }
  return seen;
}

describe("a stored response of a chat process that is killed with -9", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "stored-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    const services = ["billing", "metering", "chat", "router"];
    fleet = resources.use(await startTestFleet({ dataDir, services, env: { ACK_WAIT_MS: "1500" } }));
    await callAdmin(fleet.run, "PATCH", `/accounts/${fleet.run.account_id}`, { store_responses: true });
    const { client } = await newKey(fleet, {});
    await waitFor(async () => (await client.post(path, body)).json<ResponseObject>().store, { what: "the account" });
  });
  after(() => resources.disposeAsync());

  /** The bills of a key with a cost, once the books have as many. */
  async function billsOf({ key }: LimitedKey, count = 1) {
    return await waitFor(
      async () => {
        const report = await fleet.audit();
        assert.deepEqual(report.violations, []);
        const found = report.books.billed.filter(({ keyId, costNanoUsd }) => keyId === key.id && costNanoUsd > 0n);
        return found.length >= count && found;
      },
      { what: "the bill" },
    );
  }

  async function shown(client: TestClient, id: string): Promise<TestResponse> {
    for (let tries = 0; tries < 100; tries++) {
      const response = await client.get(`${path}/${id}`).catch(() => undefined);
      if (response !== undefined && response.status < 500) return response;
      await sleep(200);
    }
    throw new Error("chat did not come back");
  }

  const points: readonly CrashPoint[] = ["usage-known", "billed", "response-stored", "answered"];
  for (const stream of [false, true])
    for (const point of points)
      test(`has one bill if it can be read, and can be read if its client saw its end: ${stream ? "streamed" : "not streamed"}, killed at "${point}"`, async () => {
        const key = await newKey(fleet, {});
        await fleet.processes.restart("chat", { CRASH_AT: `${point}:1` });
        const seen = await create(key.client, stream);
        await waitFor(async () => fleet.processes.restarts("chat") > 0, { what: "the end of chat" });
        // Before its bill is on disk, a request costs what its last checkpoint shows, or nothing.
        const least = point === "usage-known" ? 0 : 1;
        const bills = await billsOf(key, least);
        assert.ok(bills.length >= least && bills.length <= 1, `${bills.length} bills`);
        if (seen.id === undefined) return;
        const found = await shown(key.client, seen.id);
        if (found.status === 200) assert.equal(found.json<ResponseObject>().status, "completed");
        if (seen.complete !== undefined) assert.equal(found.status, 200, found.text);
        if (point === "usage-known" || point === "billed") assert.equal(found.status, 404, found.text);
        if (point === "response-stored" || point === "answered") assert.equal(found.status, 200, found.text);
      });

  for (const stream of [false, true])
    test(`can be read as its client saw it and is billed exactly once when chat is killed at once: ${stream ? "streamed" : "not streamed"}`, async () => {
      for (let round = 0; round < 3; round++) {
        const key = await newKey(fleet, {});
        const { complete } = await waitFor(
          async () => {
            const seen = await create(key.client, stream);
            return seen.complete !== undefined && seen;
          },
          { what: "a response" },
        );
        await fleet.processes.kill("chat");
        assert.equal(complete?.store, true);
        const found = await shown(key.client, complete.id);
        assert.deepEqual(found.json(), complete);
        assert.equal((await billsOf(key)).length, 1);
      }
    });

  const inBackground: readonly [CrashPoint, "completed" | "failed"][] = [
    ["journalled", "completed"],
    ["upstream-sent", "completed"],
    ["usage-known", "completed"],
    ["billed", "failed"],
    ["response-stored", "completed"],
    ["answered", "completed"],
  ];
  for (const [point, status] of inBackground)
    test(`ends as ${status} and is billed exactly once when it is made in the background and chat is killed at "${point}"`, async () => {
      const key = await newKey(fleet, {});
      await fleet.processes.restart("chat", { CRASH_AT: `${point}:1` });
      const headers = { "idempotency-key": "once" };
      const queued = await waitFor(
        async () => {
          const response = await key.client
            .post(path, { ...body, background: true }, { headers })
            .catch(() => undefined);
          return response?.status === 200 && response.json<ResponseObject>();
        },
        { what: "the queued response" },
      );
      await waitFor(async () => fleet.processes.restarts("chat") > 0, { what: "the end of chat" });
      const response = await waitFor(
        async () => {
          const found = (await shown(key.client, queued.id)).json<
            ResponseObject & { error: { message: string } | null }
          >();
          return !["queued", "in_progress"].includes(found.status) && found;
        },
        { everyMs: 200, what: "the end of the response" },
      );
      assert.deepEqual([response.id, response.status], [queued.id, status], JSON.stringify(response));
      const bills = await billsOf(key);
      assert.equal(bills.length, 1);
      if (status === "failed") assert.match(response.error?.message ?? "", new RegExp(bills[0]?.requestId ?? "none"));
    });

  test("streamed in the background ends its stream with the stored response and one bill when chat is killed in the middle", async () => {
    const key = await newKey(fleet, {});
    await fleet.processes.restart("chat", { CRASH_AT: "mid-stream:4" });
    const order = { ...body, input: "say: one two three four five six seven eight", background: true, stream: true };
    const events: StreamEvent[] = [];
    const endFault = await setFault(fleet.run.simulator_url, { slow: 300 });
    try {
      for await (const { data } of (await key.client.stream(path, order)).events) {
        const event = JSON.parse(data) as StreamEvent;
        // The router's own error, at the end of a stream that breaks, has no number.
        if (event.sequence_number !== undefined) events.push(event);
      }
    } catch {
      // The connection breaks with the process; what arrived until then is asserted below.
    }
    await waitFor(async () => fleet.processes.restarts("chat") > 0, { what: "the end of chat" });
    const id = events[0]?.response?.id ?? "";
    assert.notEqual(id, "");
    await waitFor(
      async () => {
        const after = events.at(-1)?.sequence_number ?? -1;
        const { status, text } = await shown(key.client, `${id}?stream=true&starting_after=${after}`);
        assert.equal(status, 200, text);
        const data = text.split("\n").filter((line) => line.startsWith("data: "));
        events.push(...data.map((line) => JSON.parse(line.slice(6)) as StreamEvent));
        return /completed|failed/.test(events.at(-1)?.type ?? "");
      },
      { everyMs: 200, what: "the last event" },
    );
    await endFault();
    assert.deepEqual(
      events.map((event) => event.sequence_number),
      events.map((_, n) => n),
    );
    const found = (await shown(key.client, id)).json<ResponseObject>();
    assert.deepEqual(events.at(-1)?.response, found);
    assert.equal(found.status, "failed");
    assert.ok((await billsOf(key, 0)).length <= 1);
  });

  test("can be streamed in the background by the official SDK, and followed after it has disconnected", async () => {
    const key = await newKey(fleet, {});
    const openai = new OpenAI({ apiKey: key.secret, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
    const order = { model: "gpt-4o-mini", input: "say: one two three four five six" } as const;
    let id = "";
    let last = 0;
    for await (const event of await openai.responses.create({ ...order, background: true, stream: true })) {
      if (event.type === "response.created") ({ id } = event.response);
      last = event.sequence_number;
      if (event.type === "response.queued") break;
    }
    const numbers: number[] = [];
    let text = "";
    let status: string | undefined;
    for await (const event of await openai.responses.retrieve(id, { stream: true, starting_after: last })) {
      numbers.push(event.sequence_number);
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.completed") ({ status } = event.response);
    }
    assert.deepEqual([text, status], ["one two three four five six", "completed"]);
    assert.deepEqual(
      numbers,
      numbers.map((_, n) => last + 1 + n),
    );
    assert.equal((await billsOf(key)).length, 1);
  });

  test("can be made in the background, read, cancelled and continued by the official SDK", async () => {
    const { secret } = await newKey(fleet, {});
    const openai = new OpenAI({ apiKey: secret, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
    const request = { model: "gpt-4o-mini", input: "say: later" };
    const { id, status } = await openai.responses.create({ ...request, background: true });
    assert.equal(status, "queued");
    const response = await waitFor(async () => {
      const found = await openai.responses.retrieve(id);
      return found.status === "completed" && found;
    });
    assert.equal(response.output_text, "later");
    assert.deepEqual((await openai.responses.cancel(id)).status, "completed");
    const next = await openai.responses.create({ ...request, previous_response_id: id });
    assert.equal(next.previous_response_id, id);
    const endFault = await setFault(fleet.run.simulator_url, { latency: 20_000 });
    const slow = await openai.responses.create({ ...request, background: true });
    await waitFor(async () => (await faultHits(fleet.run.simulator_url)) > 0, { what: "the provider's call" });
    assert.equal((await openai.responses.cancel(slow.id)).status, "cancelled");
    assert.equal((await openai.responses.retrieve(slow.id)).status, "cancelled");
    await endFault();
  });
});
