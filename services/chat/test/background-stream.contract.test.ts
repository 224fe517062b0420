import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { type OperationsHarness, startOperations } from "@uag/harness/start-operations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { ResponseBox } from "@uag/pipeline/idempotency/response-box";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { keyringOf } from "@uag/runtime/keyring";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import { createBackgroundEvents } from "../src/background/events.ts";
import { Followers } from "../src/background/followers.ts";
import { JobStore } from "../src/background/job-store.ts";
import { jobOperation } from "../src/background/open.ts";
import { BackgroundWorker } from "../src/background/worker.ts";
import { chatContext } from "../src/context.ts";
import { operations } from "../src/operations.ts";
import { ChatDatabase } from "../src/state/database.ts";
import { ResponseStore } from "../src/state/store.ts";
import { catalogOf, chunk, done, sendJson, startEvents, usageChunk } from "./fixtures.ts";

interface ResponseEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly delta?: string;
  readonly response?: {
    readonly id: string;
    readonly status: string;
    readonly background: boolean;
    readonly error: { readonly code: string } | null;
  };
}

const maxEventBytes = 20_000;
const maxFollowers = 16;
const resources = new AsyncDisposableStack();
const scratch = resources.use(scratchDatabase());
const box = new ResponseBox(keyringOf("5a".repeat(32)));
const database = resources.use(new ChatDatabase({ ...scratch, box }));
const failures: unknown[] = [];
const failed = (error: unknown): void => void failures.push(error);
const stored = resources.use(new ResponseStore({ database, maxResponses: 100, maxBytes: 10_000_000, failed }));
const jobs = new JobStore({ database, maxPerAccount: 20 });
let respond: (response: ServerResponse) => void;
let called = 0;
let upstream: TestUpstream;
/** Runs the jobs. */
let maker: OperationsHarness;
/** Another replica, which runs none. */
let other: OperationsHarness;

const account = { id: "" };

const usable = (keyId: string) => {
  const caller = Caller.fromPartial({ keyId, accountId: account.id, storesResponses: true });
  return { kind: "usable", context: Buffer.from(Caller.encode(caller).finish()) } as const;
};

function replica(isWorker: boolean): Promise<OperationsHarness> {
  return startOperations({
    catalog: catalogOf(upstream.url),
    operations(context, owned) {
      const base = chatContext(context, stored);
      const events = createBackgroundEvents(context.log, context.metrics);
      const callers = { state: async ({ keyId }: { keyId: string }) => usable(keyId) };
      const findBill = async ({ requestId }: { requestId: string }) => maker.admission.billOf(requestId);
      const operationFor = jobOperation(base, stored);
      const running = { jobs, stored, callers, findBill, maxEventBytes, operationFor };
      const atOnce = isWorker ? 32 : 0;
      const worker = owned.use(
        new BackgroundWorker({ context: running, atOnce, drainMs: 2_000, events, log: context.log }),
      );
      const followers = new Followers({ jobs, stored, buffers: context.buffers, max: maxFollowers, maxEventBytes });
      return operations({ ...base, background: { jobs, followers, events, wake: () => worker.wake() } });
    },
  });
}

before(async () => {
  upstream = resources.use(
    await startUpstream((_, response) => {
      called++;
      respond(response);
    }),
  );
  maker = resources.use(await replica(true));
  other = resources.use(await replica(false));
});
beforeEach(() => {
  maker.admission.reset();
  called = 0;
  respond = says("Hello", " there");
});
after(async () => {
  await resources.disposeAsync();
  assert.deepEqual(failures, []);
});

/** A provider that streams these texts. */
const says =
  (...texts: string[]) =>
  (response: ServerResponse): void => {
    startEvents(response);
    for (const content of texts) response.write(chunk({ content }));
    finish(response);
  };

function finish(response: ServerResponse): void {
  response.write(chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
  response.end(usageChunk + done);
}

const as = (name: string, target = "/v1/responses") => ({ account: name, storesResponses: true, target });
const order = { model: "plain", input: "Hi", background: true, stream: true };
const begin = (name: string) => {
  account.id = name;
  return maker.open("responses", JSON.stringify(order), as(name));
};
const streamOf = (id: string, query = "") => `/v1/responses/${id}?stream=true${query}`;
const read = (account: string, target: string) => other.call("responses.get", undefined, as(account, target));
const eventsIn = (text: string): ResponseEvent[] =>
  new SseDecoder()
    .push(Buffer.from(text))
    .flatMap(({ data }) => (data === undefined ? [] : [JSON.parse(data.toString()) as ResponseEvent]));
const create = (name: string, body: object = order) => {
  account.id = name;
  return maker.call("responses", body, as(name));
};
const whole = async (name: string): Promise<ResponseEvent[]> => eventsIn((await create(name)).text);
const idIn = (events: readonly ResponseEvent[]): string => events[0]?.response?.id ?? "";
const numbers = (events: readonly ResponseEvent[]): number[] => events.map((event) => event.sequence_number);
const textIn = (events: readonly ResponseEvent[]): string => events.map(({ delta = "" }) => delta).join("");
const costs = () => maker.admission.booked.map(({ settlement }) => settlement?.costNanoUsd ?? 0n);

/** Creates a response and disconnects once its stream shows its id. */
async function beginAndLeave(account: string): Promise<string> {
  const stream = begin(account);
  let text = "";
  for await (const bytes of stream) {
    text += bytes.toString();
    const id = idIn(eventsIn(text));
    if (id !== "") return id;
  }
  throw new Error(`no event: ${text}`);
}

test("a stream has every event once, numbered from 0, the last with the response as it is stored, and one bill", async () => {
  const response = await create("whole");
  assert.equal(response.header("content-type"), "text/event-stream; charset=utf-8");
  const events = eventsIn(response.text);
  assert.deepEqual(
    numbers(events),
    events.map((_, n) => n),
  );
  const types = events.map(({ type }) => type);
  assert.deepEqual(types.slice(0, 3), ["response.created", "response.queued", "response.in_progress"]);
  assert.equal(types.filter((type) => type === "response.created" || type === "response.completed").length, 2);
  assert.equal(textIn(events), "Hello there");
  const id = idIn(events);
  assert.ok(
    events.every(({ response: { id: own, background } = { id, background: true } }) => own === id && background),
  );
  const last = events.at(-1);
  assert.equal(last?.type, "response.completed");
  assert.deepEqual((await read("whole", `/v1/responses/${id}`)).json(), last?.response);
  assert.equal(costs().filter((cost) => cost > 0n).length, 1);
});

test("a stream can be read again by another replica: whole, after any of its events, and by several clients for one bill", async () => {
  const events = await whole("again");
  const id = idIn(events);
  for (const after of [-1, 0, 1, 2, 4, events.length - 2]) {
    const again = await read("again", streamOf(id, after < 0 ? "" : `&starting_after=${after}`));
    assert.deepEqual(eventsIn(again.text), events.slice(after + 1));
  }
  assert.deepEqual(eventsIn((await read("again", streamOf(id, `&starting_after=${events.length - 1}`))).text), []);
  assert.deepEqual([called, costs().filter((cost) => cost > 0n).length], [1, 1]);
});

test("a client that disconnects can follow from another replica while the response is being made", async () => {
  let open: ServerResponse | undefined;
  respond = (response) => {
    startEvents(response);
    response.write(chunk({ content: "Hello" }));
    open = response;
  };
  const id = await beginAndLeave("leaves");
  const following = other.open("responses.get", undefined, as("leaves", streamOf(id, "&starting_after=0")));
  let text = "";
  for await (const bytes of following) {
    text += bytes.toString();
    if (open === undefined || textIn(eventsIn(text)) !== "Hello") continue;
    const response = open;
    open = undefined;
    response.write(chunk({ content: " there" }));
    finish(response);
  }
  const events = eventsIn(text);
  assert.deepEqual(
    numbers(events),
    events.map((_, n) => n + 1),
  );
  assert.deepEqual([textIn(events), events.at(-1)?.type], ["Hello there", "response.completed"]);
  assert.equal(costs().filter((cost) => cost > 0n).length, 1);
});

test("a response that is cancelled ends its streams, and is billed once", async () => {
  respond = (response) => {
    startEvents(response);
    response.write(chunk({ content: "Hello" }));
  };
  const id = await beginAndLeave("cancels");
  const following = read("cancels", streamOf(id));
  await waitFor(async () => ((await jobs.find("cancels", id))?.events?.pieces ?? 0) > 0, { what: "an event" });
  await other.call("responses.cancel", {}, as("cancels", `/v1/responses/${id}/cancel`));
  const last = eventsIn((await following).text).at(-1);
  assert.deepEqual([last?.type, last?.response?.status], ["response.failed", "cancelled"]);
  assert.equal(costs().length, 1);
});

test("a request that a provider rejects ends its stream with the error, and owes nothing", async () => {
  respond = (response) => sendJson(response, 400, { error: { message: "No such voice.", code: "bad", type: "x" } });
  const events = await whole("rejected");
  assert.deepEqual(
    events.map(({ type }) => type),
    ["response.created", "response.queued", "response.failed"],
  );
  assert.equal(events.at(-1)?.response?.status, "failed");
  assert.deepEqual(costs(), [0n]);
});

test("a provider's stream that breaks ends the response as failed once its client has events, without a second call", async () => {
  respond = (response) => {
    startEvents(response);
    response.write(chunk({ content: "Hello" }));
    setTimeout(() => response.destroy(), 300);
  };
  const events = await whole("breaks");
  assert.deepEqual([textIn(events), events.at(-1)?.type, called], ["Hello", "response.failed", 1]);
  assert.ok(events.at(-1)?.response?.error);
});

test("events beyond the bound are left out, and the last one has the whole response", async () => {
  const texts = Array.from({ length: 400 }, (_, n) => ` word${n}`);
  respond = says(...texts);
  const events = await whole("long");
  assert.deepEqual(
    numbers(events),
    events.map((_, n) => n),
  );
  assert.ok(textIn(events).length < texts.join("").length);
  assert.ok(JSON.stringify(events.at(-1)?.response).includes("word399"));
  const row = await stored.find("long", idIn(events));
  assert.ok(row?.events !== undefined && row.events.bytes <= maxEventBytes && row.bytes > row.events.bytes);
});

test("a response is deleted with its events", async () => {
  const id = idIn(await whole("deletes"));
  const row = await stored.find("deletes", id);
  const pieces = () =>
    database.run(({ pieceRows }) => pieceRows.countDocuments({ _id: { $regex: `^${row?.events?.place}/` } }));
  assert.ok((await pieces()) > 0);
  await other.call("responses.delete", undefined, as("deletes", `/v1/responses/${id}`));
  assert.equal(await pieces(), 0);
  assert.equal((await read("deletes", streamOf(id))).status, 404);
});

test("events are stored encrypted", async () => {
  const row = await stored.find("secret", idIn(await whole("secret")));
  const piece = await database.run(({ pieceRows }) => pieceRows.findOne({ _id: `${row?.events?.place}/0` }));
  assert.ok(piece !== null && !piece.data.toString("latin1").includes("response.in_progress"));
});

test("a response that was not streamed in the background has no stream, nor has another account's", async () => {
  const { id } = (await create("plain", { ...order, stream: false })).json();
  await waitFor(async () => (await stored.find("plain", String(id))) !== undefined, { what: "the response" });
  const refused = await read("plain", streamOf(String(id)));
  assert.equal(refused.status, 400);
  assert.match(refused.text, /"param":"stream"/);
  assert.equal((await read("others", streamOf(String(id)))).status, 404);
  const wrong = await read("plain", streamOf(String(id), "&starting_after=x"));
  assert.deepEqual([wrong.status, /"param":"starting_after"/.test(wrong.text)], [400, true]);
});

test("a key has a bounded number of streams at a replica, each of which is free again once its client has its end", async () => {
  const open: ServerResponse[] = [];
  respond = (response) => {
    startEvents(response);
    response.write(chunk({ content: "Hello" }));
    open.push(response);
  };
  const id = await beginAndLeave("many");
  const target = streamOf(id);
  const following = Array.from({ length: maxFollowers / 8 }, () => read("many", target));
  await waitFor(
    async () => {
      const more = await Promise.race([read("many", target), sleep(500, undefined)]);
      return more?.status === 429;
    },
    { what: "a refusal" },
  );
  await waitFor(async () => open.length > 0, { what: "the provider's call" });
  for (const response of open) finish(response);
  for (const { text } of await Promise.all(following)) assert.equal(eventsIn(text).at(-1)?.type, "response.completed");
  assert.equal((await read("many", target)).status, 200);
});
