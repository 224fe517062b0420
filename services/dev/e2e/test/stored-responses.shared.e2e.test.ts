import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { newAccount } from "@uag/harness/fleet/limited-key";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import OpenAI from "openai";

const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const weather = { type: "function" as const, name: "get_weather", parameters, strict: true };

describe("the official OpenAI SDK continues responses that the gateway stores", () => {
  let fleet: SharedFleet;
  let openai: OpenAI;
  let accountId: string;

  const clientOf = (secret: string) =>
    new OpenAI({ apiKey: secret, baseURL: `${fleet.run.base_url}/v1`, maxRetries: 0 });
  const optIn = (storeResponses: boolean) =>
    adminApi(fleet.run).call("PATCH", `/accounts/${accountId}`, { store_responses: storeResponses });

  before(async () => {
    fleet = await openSharedFleet();
    const { key, secret } = await newAccount(fleet, 5_000_000_000n);
    accountId = key.accountId;
    openai = clientOf(secret);
    const refused = openai.responses.create({ model: "gpt-4o-mini", input: "Hi", previous_response_id: "resp_1" });
    await assert.rejects(refused, /store_responses/, "an account has to opt in");
    await optIn(true);
    await waitFor(async () => {
      const response = await openai.responses.create({ model: "gpt-4o-mini", input: "Hi" });
      return "store" in response && response.store === true;
    });
  });

  test("a tool's result is sent alone, to the model that called it and that keeps its reasoning", async () => {
    const request = { model: "gpt-5-mini", tools: [weather], reasoning: { effort: "low" as const } };
    const first = await openai.responses.create({ ...request, input: 'call get_weather {"city":"Oslo"}' });
    const call = first.output.find((item) => item.type === "function_call");
    const result = { type: "function_call_output" as const, call_id: call?.call_id ?? "", output: "Sunny" };
    const second = await openai.responses
      .stream({ ...request, input: [result], previous_response_id: first.id })
      .finalResponse();
    assert.match(second.output_text, /Sunny/);
    assert.equal(second.previous_response_id, first.id);
    assert.ok((second.usage?.input_tokens ?? 0) > (first.usage?.input_tokens ?? 0));
    const items = await openai.responses.inputItems.list(second.id, { order: "asc" });
    assert.deepEqual(
      items.data.map(({ type }) => type),
      ["message", "reasoning", "function_call", "function_call_output"],
    );
    const shown = await openai.responses.retrieve(second.id);
    assert.deepEqual([shown.id, shown.output_text], [second.id, second.output_text]);
  });

  test("any model continues a conversation, which is billed as input", async () => {
    const inputs: number[] = [];
    let previous: string | undefined;
    for (const model of ["gpt-4o-mini", "claude-sonnet-4-6", "gemini-2.5-flash", "grok-4.5"]) {
      const response = await openai.responses.create({
        model,
        input: `say: One, as ${model} does. ${"word ".repeat(50)}`,
        previous_response_id: previous ?? null,
      });
      assert.match(response.output_text, /^One/, model);
      inputs.push(response.usage?.input_tokens ?? 0);
      previous = response.id;
    }
    const steps = inputs.slice(1).map((tokens, at) => tokens - (inputs[at] ?? 0));
    assert.ok(
      steps.every((more) => more > 50),
      inputs.join(),
    );
  });

  test("a deleted response cannot be shown or continued", async () => {
    const { id } = await openai.responses.create({ model: "gpt-4o-mini", input: "Hi" });
    await openai.responses.delete(id);
    await assert.rejects(openai.responses.retrieve(id), OpenAI.NotFoundError);
    await assert.rejects(
      openai.responses.create({ model: "gpt-4o-mini", input: "Hi", previous_response_id: id }),
      (error: Error) =>
        error instanceof OpenAI.BadRequestError &&
        error.code === "previous_response_not_found" &&
        error.param === "previous_response_id",
    );
  });

  after(async () => {
    assert.deepEqual((await fleet.audit()).violations, []);
  });
});
