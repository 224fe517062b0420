import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Billed, readBooks } from "@uag/harness/audit/billed";
import { pythonPackages } from "@uag/harness/fleet/python-packages";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { runTool } from "@uag/local/engines/run-tool";
import OpenAI from "openai";

const python = `
import sys, openai
client = openai.OpenAI(base_url=sys.argv[1], api_key=sys.argv[2], max_retries=0)
for model in ["gpt-4o-mini", "claude-sonnet-4-6", "gemini-2.5-flash"]:
    whole = client.completions.create(model=model, prompt="say: Good morning", max_tokens=2_000)
    assert whole.choices[0].text == "Good morning" and whole.object == "text_completion", whole
    options = {"include_usage": True}
    stream = client.completions.create(model=model, prompt="repeat 9 words", max_tokens=2_000, stream=True, stream_options=options)
    chunks = list(stream)
    assert len("".join(choice.text for chunk in chunks for choice in chunk.choices).split()) == 9, chunks
    assert chunks[-1].usage.completion_tokens >= 9 and chunks[-1].usage.cost > 0, chunks[-1]
`;

type Usage = OpenAI.CompletionUsage & { readonly cost?: number };

describe("legacy completions through the public server", () => {
  let fleet: SharedFleet;
  let openai: OpenAI;

  before(async () => {
    fleet = await openSharedFleet();
    openai = new OpenAI({ apiKey: fleet.run.api_key, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
  });

  const billOf = (requestId: string | null): Promise<Billed> =>
    waitFor(async () => (await readBooks(fleet.run)).billed.find((bill) => bill.requestId === requestId));

  for (const model of ["gpt-4o-mini", "claude-sonnet-4-6", "gemini-2.5-flash"]) {
    test(`${model} completes a prompt, and the response's header has the cost that is billed`, async () => {
      const { data, response } = await openai.completions
        .create({ model, prompt: ["say: Good morning"], max_tokens: 2_000 })
        .withResponse();
      const { choices, object, usage, id } = data;
      assert.deepEqual(choices, [{ index: 0, text: "Good morning", logprobs: null, finish_reason: "stop" }]);
      assert.deepEqual(
        [object, id.startsWith("cmpl-"), (usage?.total_tokens ?? 0) > 0],
        ["text_completion", true, true],
      );
      const { costNanoUsd } = await billOf(response.headers.get("x-request-id"));
      assert.equal(BigInt(Math.round(Number(response.headers.get("x-gateway-cost-usd")) * 1e9)), costNanoUsd);
    });

    test(`a stream of ${model} ends with its usage and the cost that is billed`, async () => {
      const { data: stream, response } = await openai.completions
        .create({
          model,
          prompt: "repeat 9 words",
          max_tokens: 2_000,
          stream: true,
          stream_options: { include_usage: true },
        })
        .withResponse();
      let text = "";
      let finish: string | null = null;
      const usages: Usage[] = [];
      for await (const { choices, usage } of stream) {
        text += choices[0]?.text ?? "";
        finish = choices[0]?.finish_reason ?? finish;
        if (usage) usages.push(usage);
      }
      assert.deepEqual([text.split(" ").length, finish, usages.length], [9, "stop", 1]);
      const { costNanoUsd } = await billOf(response.headers.get("x-request-id"));
      assert.equal(Math.round((usages[0]?.cost ?? 0) * 1e9), Number(costNanoUsd));
    });
  }

  test("a response has at most 16 tokens unless max_tokens raises the cap", async () => {
    const { choices, usage } = await openai.completions.create({ model: "gpt-4o-mini", prompt: "repeat 40 words" });
    assert.deepEqual([choices[0]?.finish_reason, usage?.completion_tokens], ["length", 16]);
  });

  test("each of several choices begins with the prompt if echo is true, streamed or not", async () => {
    const request = { model: "gpt-4o-mini", prompt: "say: Hi", n: 2, echo: true };
    const whole = await openai.completions.create(request);
    const streamed = ["", ""];
    for await (const { choices } of await openai.completions.create({ ...request, stream: true }))
      for (const { index, text } of choices) streamed[index] += text;
    const expected = ["say: HiHi", "say: HiHi"];
    assert.deepEqual([whole.choices.map(({ text }) => text), streamed], [expected, expected]);
  });

  test("log probabilities name each token of the text with its offset, streamed or not, however many there are", async () => {
    const request = { model: "gpt-4o-mini", prompt: "repeat 900 words", max_tokens: 1_000, logprobs: 3 };
    const [whole] = (await openai.completions.create(request)).choices;
    const pieces: OpenAI.CompletionChoice[] = [];
    for await (const { choices } of await openai.completions.create({ ...request, stream: true }))
      pieces.push(...choices);
    const { tokens = [], text_offset = [], top_logprobs = [] } = whole?.logprobs ?? {};
    assert.equal(tokens.join(""), whole?.text);
    assert.ok(tokens.length >= 900 && top_logprobs.every((top) => Object.keys(top).length >= 1));
    for (const [at, token] of tokens.entries()) assert.ok(whole?.text.startsWith(token, text_offset[at]));
    assert.equal(pieces.map(({ text }) => text).join(""), whole?.text);
    assert.deepEqual(
      pieces.flatMap(({ logprobs }) => logprobs?.text_offset ?? []),
      text_offset,
    );
  });

  const base = { model: "gpt-4o-mini", prompt: "Hi" };
  const refused: readonly [what: string, body: object, param: string][] = [
    ["several prompts", { ...base, prompt: ["a", "b"] }, "prompt"],
    ["tokens in place of text", { ...base, prompt: [1, 2] }, "prompt"],
    ["a suffix", { ...base, suffix: "." }, "suffix"],
    ["more choices generated than returned", { ...base, best_of: 2 }, "best_of"],
    ["an echo with log probabilities", { ...base, echo: true, logprobs: 1 }, "echo"],
    [
      "a prompt that would be echoed beyond a million characters",
      { ...base, prompt: "x".repeat(9_000), n: 128, echo: true },
      "echo",
    ],
    ["more log probabilities than one parse can take", { ...base, logprobs: 5, max_tokens: 8_000 }, "logprobs"],
  ];
  for (const [what, body, param] of refused)
    test(`rejects ${what} with 400, naming the field`, async () => {
      const { status, json } = await fleet.client.post("/v1/completions", body);
      const { error } = json<{ error: { code: string; param: string } }>();
      assert.deepEqual([status, error.code, error.param], [400, "invalid_request", param]);
    });

  test("a repeated Idempotency-Key returns the first response and is billed once", async () => {
    const headers = { "idempotency-key": `completion-${Date.now()}` };
    const first = await fleet.client.post("/v1/completions", base, { headers });
    const again = await fleet.client.post("/v1/completions", base, { headers });
    assert.deepEqual([again.status, again.text], [200, first.text]);
  });

  test("the Python SDK reads completions and streams of every provider's models", async () => {
    const folder = await pythonPackages("python-samples-1", [
      "openai==3.54.0",
      "anthropic==2.12.0",
      "requests==2.32.5",
    ]);
    const { base_url, api_key } = fleet.run;
    const { code, output } = await runTool("python3", ["-c", python, `${base_url}/v1`, api_key], {
      env: { ...process.env, PYTHONPATH: folder },
    });
    assert.equal(code, 0, output);
  });

  after(async () => {
    const { violations } = await fleet.audit();
    assert.deepEqual(violations, []);
  });
});
