import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { catalogOf } from "./fixtures.ts";
import { startChat } from "./support.ts";

let harness: OperationsHarness;
before(async () => {
  harness = await startChat({ catalog: catalogOf("http://127.0.0.1:9") });
});
after(() => harness[Symbol.asyncDispose]());

interface List {
  object: string;
  data: { id: string }[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}
async function list(query = "", models: string[] = []): Promise<List> {
  const response = await harness.call("models.list", undefined, { target: `/v1/models${query}`, models });
  assert.equal(response.status, 200);
  return response.json() as unknown as List;
}
const ids = ({ data }: List): string[] => data.map(({ id }) => id);
const all = [
  "plain",
  "renamed",
  "thinker",
  "listener",
  "deaf",
  "omni",
  "two-homes",
  "qwen",
  "turbine",
  "turbine-elsewhere",
  "image-only",
  "nowhere",
];

test("the list has the fields of OpenAI's and Anthropic's clients, and each model's capabilities and prices", async () => {
  const { data, ...wrapper } = await list();
  assert.deepEqual(wrapper, { object: "list", has_more: false, first_id: "plain", last_id: "nowhere" });
  assert.deepEqual(data[0], {
    id: "plain",
    object: "model",
    created: 1_767_312_000,
    owned_by: "acme",
    type: "model",
    display_name: "Plain One",
    created_at: "2026-01-02T00:00:00Z",
    operations: ["chat.completions", "responses"],
    input_modalities: ["text", "image", "audio"],
    output_modalities: ["text"],
    context_tokens: 100_000,
    max_output_tokens: 1_000,
    price: { usd: { input_tokens: 1, cached_input_tokens: 0.1, output_tokens: 2 }, tiers: [] },
  });
});

test("a key sees only its own models, whatever key was served before", async () => {
  assert.deepEqual(ids(await list()), all);
  assert.deepEqual(ids(await list("", ["t*", "plain"])), [
    "plain",
    "thinker",
    "two-homes",
    "turbine",
    "turbine-elsewhere",
  ]);
  assert.deepEqual(ids(await list("", ["none"])), []);
  assert.deepEqual(await list("", ["none"]), {
    object: "list",
    data: [],
    has_more: false,
    first_id: null,
    last_id: null,
  });
  assert.deepEqual(ids(await list()), all);
});

test("pages forward and backward, reports whether more models follow, and ignores invalid queries", async () => {
  const first = await list("?limit=2");
  assert.deepEqual([ids(first), first.has_more, first.last_id], [["plain", "renamed"], true, "renamed"]);
  const second = await list("?limit=2&after_id=renamed");
  assert.deepEqual([ids(second), second.has_more], [["thinker", "listener"], true]);
  const end = await list("?limit=9&after_id=two-homes");
  assert.deepEqual([ids(end), end.has_more], [all.slice(all.indexOf("qwen")), false]);
  assert.deepEqual(ids(await list("?limit=2&before_id=qwen")), ["omni", "two-homes"]);
  for (const query of [
    "?limit=0",
    "?limit=x",
    "?limit=1000",
    "?x[]=1",
    "?after_id=unknown",
    `?${"x[]=1&".repeat(10_000)}`,
  ]) {
    assert.deepEqual(ids(await list(query)), all, query.slice(0, 40));
  }
});

test("returns one model by its id, and 404 to a key that may not use it", async () => {
  const get = (id: string, models: string[] = []) =>
    harness.call("models.get", undefined, { target: `/v1/models/${id}`, models });
  assert.equal((await get("plain")).json()["id"], "plain");
  assert.equal((await get("plain?x=1")).json()["id"], "plain");
  for (const response of [await get("unknown"), await get("plain", ["other"]), await get("__proto__")]) {
    assert.equal(response.status, 404);
    assert.equal((response.json() as { error: { code: string } }).error.code, "not_found");
  }
  assert.equal((await get("%E0%A4%A")).status, 400);
});
