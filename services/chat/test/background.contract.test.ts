import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { endUserHeader } from "@uag/contract/end-users";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { type OperationsHarness, startOperations } from "@uag/harness/start-operations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import type { KeyState } from "@uag/pipeline/callers";
import { ResponseBox } from "@uag/pipeline/idempotency/response-box";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { keyringOf } from "@uag/runtime/keyring";
import { levelIdOf } from "@uag/usage/end-users/caller";
import { createBackgroundEvents } from "../src/background/events.ts";
import { Followers } from "../src/background/followers.ts";
import type { JobDocument } from "../src/background/job.ts";
import { JobStore } from "../src/background/job-store.ts";
import { jobOperation } from "../src/background/open.ts";
import { type RunContext, runJob } from "../src/background/run.ts";
import { queuedResponse } from "../src/background/view.ts";
import { BackgroundWorker } from "../src/background/worker.ts";
import { type ChatContext, chatContext } from "../src/context.ts";
import { operations } from "../src/operations.ts";
import { ChatDatabase } from "../src/state/database.ts";
import { ResponseStore } from "../src/state/store.ts";
import { catalogOf, completion, sendJson } from "./fixtures.ts";

interface Json {
  readonly [name: string]: unknown;
}

const maxPerAccount = 3;
const maxEventBytes = 4_000;
const resources = new AsyncDisposableStack();
const scratch = resources.use(scratchDatabase());
const box = new ResponseBox(keyringOf("5a".repeat(32)));
const database = resources.use(new ChatDatabase({ ...scratch, box }));
const failures: unknown[] = [];
const failed = (error: unknown): void => void failures.push(error);
const stored = resources.use(new ResponseStore({ database, maxResponses: 100, maxBytes: 10_000_000, failed }));
const jobs = new JobStore({ database, maxPerAccount });
/** Bills of requests that other processes have begun. */
const otherBills = new Map<string, bigint>();
const account = { id: "" };
let keyState: ((account: string) => KeyState) | undefined;
let respond: (response: ServerResponse) => void;
let called = 0;
let upstream: TestUpstream;
let harness: OperationsHarness;
let base: ChatContext;
let running: RunContext;
let worker: BackgroundWorker;

const rule = { budgetId: "bud_1", name: "Shop", secret: Buffer.alloc(32), required: true, version: 1n };

const usable = (accountId: string): KeyState => stateOf({ keyId: `key_${accountId}`, accountId });

/** A key in a budget that requires an end user. */
const ruled = (accountId: string): KeyState =>
  stateOf({ keyId: `key_${accountId}`, accountId, budgetIds: ["bud_1"], endUsers: { rules: [rule] } });

function stateOf(fields: Parameters<typeof Caller.fromPartial>[0]): KeyState {
  const caller = Caller.fromPartial({ ...fields, storesResponses: true });
  return { kind: "usable", context: Buffer.from(Caller.encode(caller).finish()) };
}

before(async () => {
  upstream = resources.use(
    await startUpstream((_, response) => {
      called++;
      respond(response);
    }),
  );
  harness = resources.use(
    await startOperations({
      catalog: catalogOf(upstream.url),
      operations(context) {
        base = chatContext(context, stored);
        const events = createBackgroundEvents(context.log, context.metrics);
        const callers = { state: async () => (keyState ?? usable)(account.id) };
        const findBill = async ({ requestId }: { requestId: string }) => {
          const costNanoUsd = otherBills.get(requestId);
          return costNanoUsd === undefined
            ? harness.admission.billOf(requestId)
            : { costNanoUsd, pricing: Pricing.EXACT };
        };
        running = { jobs, stored, callers, findBill, maxEventBytes, operationFor: jobOperation(base, stored) };
        worker = new BackgroundWorker({ context: running, atOnce: 8, drainMs: 2_000, events, log: context.log });
        const followers = new Followers({ jobs, stored, buffers: context.buffers, max: 16, maxEventBytes });
        return operations({ ...base, background: { jobs, followers, events, wake: () => worker.wake() } });
      },
    }),
  );
  resources.use(worker);
});
beforeEach(() => {
  harness.admission.reset();
  called = 0;
  keyState = undefined;
  respond = (response) => sendJson(response, 200, completion);
});
after(async () => {
  await resources.disposeAsync();
  assert.deepEqual(failures, []);
});

const as = (name: string, target = "/v1/responses") => {
  account.id = name;
  return { account: name, storesResponses: true, target };
};
const create = (name: string, fields: Json = {}) =>
  harness.call("responses", { model: "plain", input: "Hi", background: true, ...fields }, as(name));
const shown = async (name: string, id: unknown) =>
  (await harness.call("responses.get", undefined, as(name, `/v1/responses/${id}`))).json();
const cancel = (name: string, id: unknown) =>
  harness.call("responses.cancel", {}, as(name, `/v1/responses/${id}/cancel`));
const ended = (name: string, id: unknown) =>
  waitFor(
    async () => {
      const response = await shown(name, id);
      return !["queued", "in_progress"].includes(String(response["status"])) && response;
    },
    { what: "the response to end" },
  );
const errorOf = ({ status, text }: { status: number; text: string }): [number, string, string] => {
  const { code, param } = (JSON.parse(text) as { error: { code: string; param: string } }).error;
  return [status, code, param];
};
const chains = () => harness.admission.booked.map(({ request }) => request.caller.budgetIds);
const chainOf = (endUser: string): string[] => [levelIdOf(rule, endUser), "bud_1"];
const settled = () => harness.admission.booked.map(({ settlement }) => settlement?.costNanoUsd);

test("a response is queued, made without its client, stored under its id, billed once, and can be continued", async () => {
  const queued = await create("whole", { metadata: { order: "7" }, instructions: "Be brief." });
  const { id, ...begun } = queued.json();
  assert.deepEqual(
    [queued.status, begun["status"], begun["background"], begun["output"], begun["metadata"], begun["instructions"]],
    [200, "queued", true, [], { order: "7" }, "Be brief."],
  );
  const response = await ended("whole", id);
  assert.deepEqual(
    [response["id"], response["status"], response["background"], response["store"]],
    [id, "completed", true, true],
  );
  assert.match(JSON.stringify(response["output"]), /output_text/);
  const [cost, ...more] = settled();
  assert.ok(cost !== undefined && cost > 0n && more.length === 0);
  const next = await harness.call(
    "responses",
    { model: "plain", input: "And?", previous_response_id: id },
    as("whole"),
  );
  assert.equal(next.status, 200, next.text);
  await waitFor(async () => (await jobs.find("whole", String(id))) === undefined, { what: "the job to be removed" });
});

test("the end user that the body or the header names is the one whose request is admitted", async () => {
  keyState = ruled;
  const headers = ["content-type", "application/json", endUserHeader, "carol"];
  const named = { model: "plain", input: "Hi", background: true };
  const begun = [
    await harness.call("responses", named, { ...as("shop"), headers }),
    await harness.call("responses", { ...named, user: "alice" }, { ...as("shop"), headers }),
    await create("shop"),
  ].map((response) => response.json()["id"]);
  const responses = await Promise.all(begun.map((id) => ended("shop", id)));
  assert.deepEqual(
    responses.map((response) => response["status"]),
    ["completed", "completed", "failed"],
  );
  assert.match(JSON.stringify(responses[2]?.["error"]), /requires an end user/);
  assert.deepEqual(new Set(chains().map(String)), new Set([String(chainOf("carol")), String(chainOf("alice"))]));
});

test("a request that is repeated with its idempotency key creates no second response, before and after its end", async () => {
  const again = () =>
    harness.call(
      "responses",
      { model: "plain", input: "Hi", background: true },
      { ...as("repeats"), headers: ["content-type", "application/json", "idempotency-key", "once"] },
    );
  const ids = await Promise.all([again(), again(), again()]);
  const id = ids[0]?.json()["id"];
  assert.ok(ids.every((one) => one.json()["id"] === id));
  const response = await ended("repeats", id);
  assert.deepEqual((await again()).json(), response);
  assert.deepEqual([called, settled().length], [1, 1]);
});

test("a request that a provider rejects ends as failed, with the error that its client would have got", async () => {
  respond = (response) => sendJson(response, 400, { error: { message: "No such voice.", code: "bad", type: "x" } });
  const response = await ended("rejected", (await create("rejected")).json()["id"]);
  assert.equal(response["status"], "failed");
  assert.match(JSON.stringify(response["error"]), /No such voice/);
  assert.deepEqual(settled(), [0n]);
});

test("a response that is cancelled shows that at once, stops its provider's call, and is billed once", async () => {
  let open = 0;
  respond = (response) => {
    open++;
    response.on("close", () => open--);
  };
  const id = (await create("cancels")).json()["id"];
  await waitFor(async () => called === 1, { what: "the provider's call" });
  assert.equal((await shown("cancels", id))["status"], "in_progress");
  const cancelled = await cancel("cancels", id);
  assert.deepEqual([cancelled.status, cancelled.json()["status"]], [200, "cancelled"]);
  assert.equal((await shown("cancels", id))["status"], "cancelled");
  await waitFor(async () => (await jobs.find("cancels", String(id))) === undefined, { what: "the job to end" });
  assert.deepEqual([open, called], [0, 1]);
  assert.equal(settled().length, 1);
  const again = await cancel("cancels", id);
  assert.deepEqual([again.status, again.json()["status"], again.json()["output"]], [200, "cancelled", []]);
});

test("cancelling a response that has ended returns it; one that was not in the background cannot be cancelled", async () => {
  const id = (await create("late")).json()["id"];
  const response = await ended("late", id);
  assert.deepEqual((await cancel("late", id)).json(), response);
  const plain = (await harness.call("responses", { model: "plain", input: "Hi" }, as("late"))).json();
  assert.deepEqual(errorOf(await cancel("late", plain["id"])), [400, "invalid_request", "id"]);
  assert.deepEqual(errorOf(await cancel("late", "resp_none")), [404, "not_found", "id"]);
});

describe("a request that a process began and left", () => {
  const other = resources.use(new ChatDatabase({ ...resources.use(scratchDatabase()), box }));
  const otherStored = resources.use(
    new ResponseStore({ database: other, maxResponses: 9, maxBytes: 1_000_000, failed }),
  );
  const left = new JobStore({ database: other, maxPerAccount: 9 });
  const context = (): RunContext => ({
    ...running,
    jobs: left,
    stored: otherStored,
    operationFor: jobOperation(base, otherStored),
  });

  /** A job that was begun as this request. */
  async function begun(id: string, requestId: string): Promise<void> {
    const body = Buffer.from('{"model":"plain","input":"Hi"}');
    const order = { accountId: as("left").account, keyId: "key_1", id, body, endUser: "alice" };
    await left.create({ ...order, response: queuedResponse(id, body) });
    const job = await claimed();
    assert.ok(await left.start(job, requestId));
    await left.release(job, { delayMs: 0, anew: false });
  }
  async function claimed(): Promise<JobDocument> {
    const job = await left.claim([]);
    assert.ok(job !== undefined);
    return job;
  }
  const go = async () => runJob(context(), { job: await claimed(), signal: new AbortController().signal });
  const found = async (id: string): Promise<Json> => {
    const row = await otherStored.find("left", id);
    assert.ok(row !== undefined);
    return JSON.parse((await otherStored.read(row)).response.toString()) as Json;
  };

  test("is begun again for the same end user once its bill shows that it owes nothing", async () => {
    keyState = ruled;
    await begun("resp_free", "req_free");
    otherBills.set("req_free", 0n);
    assert.deepEqual([await go(), called], [undefined, 0]);
    assert.deepEqual([await go(), called], ["completed", 1]);
    assert.deepEqual(chains(), [chainOf("alice")]);
    assert.equal((await found("resp_free"))["status"], "completed");
  });

  test("fails with its receipt if it was billed, and is not sent again", async () => {
    await begun("resp_paid", "req_paid");
    otherBills.set("req_paid", 5_000_000n);
    assert.deepEqual([await go(), called], ["failed", 0]);
    const { status, error } = await found("resp_paid");
    assert.equal(status, "failed");
    assert.match(JSON.stringify(error), /req_paid and was billed 0\.005000000 USD/);
  });

  test("waits while its bill is not known, even if it is cancelled", async () => {
    await begun("resp_waits", "req_waits");
    assert.deepEqual([await go(), called], [undefined, 0]);
    await left.cancel("left", "resp_waits");
    otherBills.set("req_waits", 1n);
    assert.equal(await go(), "cancelled");
    assert.equal((await found("resp_waits"))["status"], "cancelled");
  });

  test("is not begun if a request with the same id has ended while it was created", async () => {
    const response = Buffer.from('{"id":"resp_twice","status":"completed"}');
    const input = Buffer.from("[]");
    await otherStored.put("left", { id: "resp_twice", previousIds: [], itemIds: [], input, response });
    const order = { accountId: "left", keyId: "key_1", endUser: "", id: "resp_twice", body: input, response };
    await left.create(order);
    assert.deepEqual([await go(), called], ["completed", 0]);
    assert.equal(await left.find("left", "resp_twice"), undefined);
  });

  test("is complete if its response was stored", async () => {
    await begun("resp_kept", "req_kept");
    const response = Buffer.from('{"id":"resp_kept","status":"completed"}');
    const input = Buffer.from("[]");
    await otherStored.put("left", { id: "resp_kept", previousIds: [], itemIds: [], input, response });
    assert.deepEqual([await go(), called], ["completed", 0]);
    assert.equal((await found("resp_kept"))["status"], "completed");
  });
});

test("an account has a bounded number of responses in progress, and none of another", async () => {
  const open: ServerResponse[] = [];
  respond = (response) => void open.push(response);
  const ids: unknown[] = [];
  for (let n = 0; n < maxPerAccount; n++) ids.push((await create("many")).json()["id"]);
  assert.deepEqual((await create("many")).status, 429);
  await waitFor(async () => open.length > 0, { what: "a call" });
  for (const id of ids) await cancel("many", id);
  for (const id of ids) assert.equal((await ended("many", id))["status"], "cancelled");
  assert.equal((await harness.call("responses.get", undefined, as("others", `/v1/responses/${ids[0]}`))).status, 404);
});

test("a key that was revoked before its response was begun ends it as failed, without a call", async () => {
  keyState = () => ({ kind: "unusable", code: "invalid_api_key", message: "The API key has been revoked." });
  const response = await ended("revoked", (await create("revoked")).json()["id"]);
  assert.deepEqual(response["error"], { code: "invalid_api_key", message: "The API key has been revoked." });
  assert.equal(called, 0);
});

test("a request that is refused for now is begun again, and billed once", async () => {
  let refusals = 2;
  respond = (response) =>
    refusals-- > 0
      ? sendJson(response, 503, { error: { message: "Overloaded." } })
      : sendJson(response, 200, completion);
  const response = await ended("busy", (await create("busy")).json()["id"]);
  assert.equal(response["status"], "completed");
  assert.equal(settled().filter((cost) => cost !== undefined && cost > 0n).length, 1);
});

test("background is refused with what it cannot have, and where nothing is stored", async () => {
  assert.deepEqual(errorOf(await create("plain", { store: false })), [400, "invalid_request", "store"]);
  const out = await harness.call("responses", { model: "plain", input: "Hi", background: true }, { account: "out" });
  assert.deepEqual(errorOf(out), [400, "invalid_request", "background"]);
  assert.match(out.text, /store_responses/);
  assert.equal(called, 0);
});
