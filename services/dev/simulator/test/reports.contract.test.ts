import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { startSimulator } from "../src/service.ts";
import { logged, send } from "./support.ts";

const dayMs = 86_400_000;
const ask = (model: string, max = 20) => ({
  model,
  max_completion_tokens: max,
  messages: [{ role: "user", content: "hi" }],
});
const today = () => new Date().toISOString().slice(0, 10);
const todayStart = () => Date.parse(`${today()}T00:00:00Z`);

test("OpenAI's own SDK reads usage by snapshot and costs by line from the truth log", async () => {
  await using simulator = await startSimulator();
  for (let n = 0; n < 2; n++) await send(simulator, "/openai/v1/chat/completions", ask("gpt-4o-mini"));
  await send(simulator, "/openai/v1/chat/completions", ask("no-such-model"));
  const entries = await logged(simulator, 3);
  const client = new OpenAI({ apiKey: "k", adminAPIKey: "k", baseURL: `${simulator.url}/openai/v1` });
  const { usage } = client.admin.organization;
  const startTime = todayStart() / 1_000;
  const counted = await usage.completions({ start_time: startTime, group_by: ["model"] });
  const [result] = counted.data[0]?.results ?? [];
  assert.ok(result?.object === "organization.usage.completions.result");
  const whole = entries.slice(0, 2).map(({ true_usage }) => true_usage as { prompt_tokens: number });
  assert.equal(result.model, "gpt-4o-mini-2024-07-18");
  assert.equal(result.num_model_requests, 2);
  assert.equal(
    result.input_tokens,
    whole.reduce((sum, { prompt_tokens }) => sum + prompt_tokens, 0),
  );
  const costs = await usage.costs({ start_time: startTime, group_by: ["line_item"] });
  const lines = costs.data[0]?.results ?? [];
  assert.deepEqual(
    lines.map((line) => line.object === "organization.costs.result" && line.line_item),
    ["gpt-4o-mini-2024-07-18, input_tokens", "gpt-4o-mini-2024-07-18, output_tokens"],
  );
});

test("pages by cursor, and rejects a limit above the documented one", async () => {
  await using simulator = await startSimulator();
  const from = new Date(todayStart() - 9 * dayMs).toISOString();
  const path = `/anthropic/v1/organizations/usage_report/messages?starting_at=${from}`;
  const days: string[] = [];
  let page = "";
  do {
    const { text } = await send(simulator, `${path}&limit=4${page && `&page=${page}`}`, undefined);
    const body = JSON.parse(text) as { data: { starting_at: string }[]; next_page: string | null };
    days.push(...body.data.map(({ starting_at }) => starting_at.slice(0, 10)));
    page = body.next_page ?? "";
  } while (page !== "");
  assert.equal(new Set(days).size, 10);
  assert.equal(days.at(-1), today());
  assert.equal((await send(simulator, `${path}&limit=32`, undefined)).status, 400);
});

test("a late report omits recent requests", async () => {
  await using simulator = await startSimulator();
  await send(simulator, "/openai/v1/chat/completions", ask("gpt-4o-mini"));
  await logged(simulator, 1);
  const path = `/openai/v1/organization/usage/completions?start_time=${todayStart() / 1_000}`;
  const results = async (headers = {}) =>
    (JSON.parse((await send(simulator, path, undefined, headers)).text) as { data: { results: unknown[] }[] }).data[0]
      ?.results.length;
  assert.deepEqual([await results({ "x-sim-report-late": "60" }), await results()], [0, 1]);
});
