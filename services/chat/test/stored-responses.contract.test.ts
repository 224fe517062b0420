import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { scratchDatabase } from "@uag/harness/scratch-database";
import type { CallOptions, OperationsHarness } from "@uag/harness/start-operations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { ResponseBox } from "@uag/pipeline/idempotency/response-box";
import { keyringOf } from "@uag/runtime/keyring";
import { createConnection } from "mongoose";
import { ChatDatabase } from "../src/state/database.ts";
import { ResponseStore } from "../src/state/store.ts";
import { catalogOf, chunk, completion, done, sendJson, startEvents, usageChunk } from "./fixtures.ts";
import { startChat } from "./support.ts";

const native = (url: string): string =>
  catalogOf(url)
    .replace(
      "\nmodels:",
      `
  own: { protocol: openai, base_url: "${url}/own/v1", api_key: sk-upstream-secret-own, responses_api: true }
models:`,
    )
    .concat(`
  - &native { <<: *plain, id: native, upstreams: [{ provider: own }] }
  - { <<: *native, id: reasoner, reasoning: { efforts: [low], shown: false } }
`);

interface Json {
  readonly [name: string]: unknown;
}

const usage = { input_tokens: 20, output_tokens: 6, total_tokens: 26 };
const stopped = [{ index: 0, delta: {}, finish_reason: "stop" }];
let made = 0;
/** A provider's response, with a number that no double can represent. */
function responseText(text: string): string {
  const id = `resp_${++made}`;
  const message = { id: `msg_${made}`, type: "message", status: "completed", role: "assistant" };
  const content = [{ type: "output_text", annotations: [], logprobs: [], text }];
  const sealed = { id: `rs_${made}`, type: "reasoning", summary: [], encrypted_content: "gAAAAABsealed" };
  const output = [sealed, { ...message, content }];
  const fields = { id, object: "response", status: "completed", error: null, output, usage, store: false };
  return JSON.stringify({ ...fields, previous_response_id: null }).replace(/}$/, ',"future":12345678901234567890}');
}

let respond: (response: ServerResponse) => void;
let sent: Json[] = [];
let upstream: TestUpstream;
let harness: OperationsHarness;
const resources = new AsyncDisposableStack();
const scratch = resources.use(scratchDatabase());
const box = new ResponseBox(keyringOf("5a".repeat(32)));
const bounds = { maxResponses: 8, maxBytes: 1_000_000 };
const failures: unknown[] = [];
const failed = (error: unknown): void => void failures.push(error);
const database = resources.use(new ChatDatabase({ ...scratch, box }));
const stored = new ResponseStore({ database, ...bounds, failed });

before(async () => {
  upstream = resources.use(
    await startUpstream(({ json, path }, answer) => {
      sent.push({ path, ...(json as object) });
      if (path.endsWith("/chat/completions") && json["stream"] === true) {
        startEvents(answer);
        answer.end([chunk({ content: "Hello." }), chunk({}, { choices: stopped }), usageChunk, done].join(""));
      } else if (path.endsWith("/chat/completions")) sendJson(answer, 200, completion);
      else respond(answer);
    }),
  );
  harness = resources.use(await startChat({ catalog: native(upstream.url), stored }));
  resources.use(stored);
});
beforeEach(() => {
  sent = [];
  respond = (answer) => sendJson(answer, 200, responseText("Hello."));
});
after(async () => {
  await resources.disposeAsync();
  assert.deepEqual(failures, []);
});

const options = (account: string, more: CallOptions = {}): CallOptions => ({ account, storesResponses: true, ...more });
const create = (account: string, fields: Json, more?: CallOptions) =>
  harness.call("responses", { model: "native", input: "Hi", ...fields }, options(account, more));
const at = (operation: string, account: string, target: string) =>
  harness.call(`responses.${operation}`, undefined, options(account, { target: `/v1/responses/${target}` }));
const errorOf = ({ status, text }: { status: number; text: string }): [number, string, string] => {
  const { code, param } = (JSON.parse(text) as { error: { code: string; param: string } }).error;
  return [status, code, param];
};
const notFound = [400, "previous_response_not_found", "previous_response_id"];
const user = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const textsIn = (items: unknown): string[] =>
  (items as { content?: string | { text: string }[] }[]).flatMap(({ content = [] }) =>
    typeof content === "string" ? [content] : content.map(({ text }) => text),
  );

test("a stored response is exactly what its client received, to the last digit", async () => {
  const { body, text } = await create("exact", {});
  assert.match(text, /"store":true/);
  assert.match(text, /12345678901234567890/);
  assert.equal(sent[0]?.["store"], false, "nothing is stored at the provider");
  const { id } = JSON.parse(text) as { id: string };
  const shown = await at("get", "exact", id);
  assert.equal(shown.header("content-type"), "application/json");
  assert.deepEqual(shown.body, body);
});

test("a streamed response is stored before its last event is sent, as that event shows it, with its cost", async () => {
  respond = (answer) => {
    answer.writeHead(200, { "content-type": "text/event-stream" });
    const delta = { type: "response.output_text.delta", item_id: "msg_1", delta: "Hello." };
    answer.write(`event: ${delta.type}\ndata: ${JSON.stringify(delta)}\n\n`);
    answer.end(
      `event: response.completed\ndata: {"type":"response.completed","response":${responseText("Hello.")}}\n\n`,
    );
  };
  const { text } = await create("streamed", { stream: true });
  const last = text.split("\n\n").findLast((event) => event.includes("response.completed")) ?? "";
  const response = /"response":(\{.*\})\}$/.exec(last)?.[1] ?? "";
  assert.match(response, /"cost":0\.\d+/);
  const { id } = JSON.parse(response) as { id: string };
  assert.equal((await at("get", "streamed", id)).text, response);
});

for (const model of ["native", "plain"])
  test(`every event of a stored stream that has its response shows it as stored, with the response before it: ${model}`, async () => {
    const account = `opening-${model}`;
    const first = (await create(account, {})).json();
    respond = (answer) => {
      startEvents(answer);
      const opening = ["response.created", "response.in_progress"].map((type) => {
        const response = { id: "resp_open", object: "response", status: "in_progress", store: false };
        return `event: ${type}\ndata: ${JSON.stringify({ type, response: { ...response, previous_response_id: null } })}\n\n`;
      });
      const delta = { type: "response.output_text.delta", item_id: "msg_1", delta: "Hello." };
      // One piece: the opening may arrive together with what follows.
      answer.end(
        `${opening.join("")}event: ${delta.type}\ndata: ${JSON.stringify(delta)}\n\nevent: response.completed\ndata: {"type":"response.completed","response":${responseText("Hello.")}}\n\n`,
      );
    };
    const { text } = await create(account, { model, stream: true, previous_response_id: first["id"] });
    const shown = [...text.matchAll(/^data: (\{.*"response":\{.*)$/gm)].map(([, data = ""]) => {
      const { type, response } = JSON.parse(data) as { type: string; response: Json };
      return [type, response["store"], response["previous_response_id"]];
    });
    assert.deepEqual(
      shown,
      ["response.created", "response.in_progress", "response.completed"].map((type) => [type, true, first["id"]]),
    );
    assert.match(text, /"delta":"Hello\."/);
  });

test("a request that continues a response sends the whole conversation, and holds for it", async () => {
  const first = (await create("chain", { input: `My name is Ada. ${"x".repeat(4_000)}` })).json();
  const held = () => harness.admission.booked.at(-1)?.request.holdNanoUsd ?? 0n;
  const before = held();
  const second = (await create("chain", { previous_response_id: first["id"] })).json();
  assert.ok(held() > before, `${held()} is held after ${before}`);
  assert.equal(second["previous_response_id"], first["id"]);
  const third = await create("chain", { input: [user("And now?")], previous_response_id: second["id"] });
  assert.equal(third.status, 200, third.text);
  const { input, previous_response_id: previous, store } = sent[2] ?? {};
  assert.deepEqual([previous, store], [undefined, false]);
  assert.deepEqual(
    textsIn(input).map((text) => text.slice(0, 15)),
    ["My name is Ada.", "Hello.", "Hi", "Hello.", "And now?"],
  );
  const types = (input as { type: string }[]).map(({ type }) => type);
  assert.deepEqual(types.slice(0, 3), ["message", "reasoning", "message"], "reasoning goes back to its model");
});

test("a model of another provider's protocol continues the conversation, and is continued", async () => {
  const first = (await create("mixed", { input: "My name is Ada." })).json();
  const second = (await create("mixed", { model: "plain", previous_response_id: first["id"] })).json();
  const messages = sent[1]?.["messages"] as { role: string }[] | undefined;
  assert.deepEqual(
    messages?.map(({ role }) => role),
    ["user", "assistant", "user"],
  );
  const third = await create("mixed", { previous_response_id: second["id"] });
  assert.equal(third.status, 200, third.text);
  assert.deepEqual(textsIn(sent[2]?.["input"]), ["My name is Ada.", "Hello.", "Hi", "Hello there.", "Hi"]);
});

test("a model that reasons is asked for its encrypted reasoning, as its provider stores none", async () => {
  await create("reasons", { model: "reasoner", include: ["message.output_text.logprobs"] });
  await create("reasons", { model: "reasoner", store: false });
  const wanted = "reasoning.encrypted_content";
  assert.deepEqual(
    sent.map(({ include }) => include),
    [["message.output_text.logprobs", wanted], undefined],
  );
});

test("a request with store: false is not stored, and may continue one that is", async () => {
  const first = (await create("unstored", {})).json();
  const second = (await create("unstored", { store: false, previous_response_id: first["id"] })).json();
  assert.equal(textsIn(sent[1]?.["input"]).length, 3);
  assert.equal(second["store"], false);
  assert.deepEqual(errorOf(await at("get", "unstored", String(second["id"]))), [404, "not_found", "id"]);
});

test("an item is found by reference, as SDKs refer to what is stored", async () => {
  const first = (await create("refers", {})).json();
  const [, message] = first["output"] as { id: string }[];
  const reference = { type: "item_reference", id: message?.id };
  const second = await create("refers", { input: [user("Hi"), reference, user("And now?")] });
  assert.equal(second.status, 200, second.text);
  assert.deepEqual(textsIn(sent[1]?.["input"]), ["Hi", "Hello.", "And now?"]);
  const unknown = await create("refers", { input: [{ type: "item_reference", id: "msg_none" }] });
  assert.deepEqual(errorOf(unknown).slice(0, 1), [400]);
});

test("an unknown, a deleted and another account's response cannot be continued or shown", async () => {
  const first = (await create("mine", {})).json();
  const id = String(first["id"]);
  const second = (await create("mine", { previous_response_id: id })).json();
  assert.deepEqual(errorOf(await create("theirs", { previous_response_id: id })), notFound);
  for (const operation of ["get", "delete", "input_items"])
    assert.deepEqual(errorOf(await at(operation, "theirs", id)), [404, "not_found", "id"], operation);
  assert.deepEqual(errorOf(await create("mine", { previous_response_id: "resp_none" })), notFound);
  assert.deepEqual(errorOf(await create("mine", { previous_response_id: 7 })).slice(0, 2), [400, "invalid_request"]);
  const deleted = await at("delete", "mine", id);
  assert.deepEqual(deleted.json(), { id, object: "response", deleted: true });
  assert.equal((await at("get", "mine", id)).status, 404);
  assert.deepEqual(errorOf(await create("mine", { previous_response_id: second["id"] })), notFound);
  assert.equal(sent.length, 2, "no request that cannot be continued reaches the provider");
});

test("an account that has not opted in gets an error that says how, and store: true changes nothing for it", async () => {
  const plain = { storesResponses: false };
  const response = await create("out", { store: true }, plain);
  assert.deepEqual([response.status, response.json()["store"]], [200, false]);
  const refused = await create("out", { previous_response_id: "resp_1" }, plain);
  assert.deepEqual(errorOf(refused), [400, "invalid_request", "previous_response_id"]);
  assert.match(refused.text, /store_responses/);
});

test("the items before a response are listed in pages, each with an id", async () => {
  const first = (await create("pages", { input: "One" })).json();
  const second = (
    await create("pages", { input: [user("Two"), user("Three")], previous_response_id: first["id"] })
  ).json();
  const page = async (query: string) =>
    (await at("input_items", "pages", `${second["id"]}/input_items?${query}`)).json();
  const all = await page("order=asc");
  assert.deepEqual(textsIn(all["data"]), ["One", "Hello.", "Two", "Three"]);
  const seen: string[] = [];
  for (let after = ""; ; ) {
    const { data, has_more: more, last_id: last } = await page(`limit=2${after}`);
    seen.push(...(data as { id: string }[]).map(({ id }) => id));
    if (more !== true) break;
    after = `&after=${String(last)}`;
  }
  assert.deepEqual(seen, (all["data"] as { id: string }[]).map(({ id }) => id).reverse());
  assert.equal(new Set(seen).size, 5);
  assert.deepEqual(errorOf(await at("input_items", "pages", `${second["id"]}/input_items?after=none`)), [
    400,
    "invalid_request",
    "after",
  ]);
});

test("input tokens are counted with the conversation that a request continues", async () => {
  const first = (await create("counted", { input: "word ".repeat(500) })).json();
  const count = async (fields: Json): Promise<unknown> => {
    const body = { model: "plain", input: "Hi", ...fields };
    return (await harness.call("responses.input_tokens", body, options("counted"))).json()["input_tokens"];
  };
  assert.ok(Number(await count({ previous_response_id: first["id"] })) > Number(await count({})) + 400);
});

test("an account's oldest responses are deleted beyond its bound", async () => {
  const ids: string[] = [];
  for (let n = 0; n < bounds.maxResponses + 2; n++) ids.push(String((await create("bound", {})).json()["id"]));
  const statuses = () => Promise.all(ids.map(async (id) => (await at("get", "bound", id)).status));
  await waitFor(async () => (await statuses()).filter((status) => status === 200).length === bounds.maxResponses);
  assert.deepEqual((await statuses()).slice(0, 2), [404, 404]);
});

test("an item's id of any length is stored with its item alone, and not in the row that is read to find it", async () => {
  const id = "x".repeat(300_000);
  assert.equal((await create("long-ids", { input: [{ ...user("Hi"), id }] })).json()["store"], true);
  const connection = await createConnection(scratch.url, { dbName: scratch.database }).asPromise();
  try {
    const row = await connection.collection("responses").findOne({ accountId: "long-ids" });
    assert.ok(JSON.stringify(row).length < 2_000, `the row has ${JSON.stringify(row).length} characters`);
  } finally {
    await connection.close();
  }
});

test("what is stored is encrypted, and expires after 30 days", async () => {
  await create("sealed", { input: "a secret word: xylophone" });
  await using connection = {
    db: await createConnection(scratch.url, { dbName: scratch.database }).asPromise(),
    [Symbol.asyncDispose]: () => connection.db.close(),
  };
  const { db } = connection;
  const rows = await Promise.all(["responses", "pieces"].map((name) => db.collection(name).find().toArray()));
  assert.ok(rows.every((each) => each.length > 0));
  for (const row of rows.flat()) {
    const plain = Object.values(row).map((value) => (Buffer.isBuffer(value?.buffer) ? value.buffer : value));
    assert.ok(!Buffer.from(JSON.stringify(plain)).toString().includes("xylophone"));
    for (const value of plain) assert.ok(!Buffer.isBuffer(value) || value.indexOf("xylophone") < 0);
    const days = (Number(row["expiresAt"]) - Date.now()) / 86_400_000;
    assert.ok(days > 29 && days < 31, String(days));
  }
});

test("a response is delivered as one that is not stored while the database cannot be reached", async () => {
  const url = "mongodb://127.0.0.1:9/?replicaSet=rs0";
  await using nowhere = new ChatDatabase({ url, box });
  await using unreachable = new ResponseStore({ ...bounds, database: nowhere, failed });
  await using other = await startChat({ catalog: native(upstream.url), stored: unreachable });
  const response = await other.call("responses", { model: "native", input: "Hi" }, options("cut"));
  assert.deepEqual([response.status, response.json()["store"]], [200, false]);
  const body = { model: "native", input: "Hi", previous_response_id: "resp_1" };
  assert.equal((await other.call("responses", body, options("cut"))).status, 503);
});
