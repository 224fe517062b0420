import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { estimate as schema } from "@uag/contract/responses/estimate";
import { estimateOf, filledPath, routes } from "@uag/contract/routes";
import { fetchAdmin } from "@uag/harness/fleet/admin-call";
import { newEmptyAccount } from "@uag/harness/fleet/limited-key";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { square } from "@uag/router/openapi/examples/square";
import { operations } from "@uag/router/openapi/operations";

/** Every example in the reference of a metered operation with a JSON body. */
const examples = Object.entries(operations).flatMap(([name, { examples = [] }]) =>
  operations[estimateOf(name)] !== undefined
    ? examples.flatMap(({ body, summary, path }) => (body === undefined ? [] : [{ name, summary, body, path }]))
    : [],
);

type Parameters = Readonly<Record<string, string>>;

const pathOf = (operation: string, parameters: Parameters = {}): string => {
  const route = routes.find((each) => "operation" in each && each.operation === operation);
  assert.ok(route !== undefined, operation);
  return filledPath(route.path, (name) => parameters[name] ?? assert.fail(name));
};

describe("estimates of costs", () => {
  let fleet: SharedFleet;
  before(async () => {
    fleet = await openSharedFleet();
  });

  const estimate = async (operation: string, body: object, { client = fleet.client, path = {} as Parameters } = {}) => {
    const { status, text, headers, json } = await client.post(pathOf(estimateOf(operation), path), body);
    assert.equal(status, 200, `${operation}: ${text}`);
    assert.equal(headers.get("x-gateway-cost-usd"), null);
    return schema.parse(json());
  };

  test("no example of the API reference costs more than its estimate, at the same price version", async () => {
    assert.ok(examples.length >= 15, `${examples.length} examples`);
    for (const { name, summary, body, path = {} } of examples) {
      const { max_cost_nano_usd: max, ...estimated } = await estimate(name, body, { path });
      const { hold_nano_usd: hold, operation, price_version } = estimated;
      assert.equal(operation, name);
      assert.ok(max > 0 && max <= hold, `${name}, ${summary}: ${max} of ${hold}`);
      const response = await fleet.client.post(pathOf(name, path), body);
      assert.ok(response.status < 300, `${name}, ${summary}: ${response.status}`);
      const id = response.headers.get("x-request-id") ?? "";
      await waitFor(
        async () => {
          const found = await fetchAdmin(fleet.run, "GET", `/usage/events/${id}`);
          if (!found.ok) return false;
          const { event } = (await found.json()) as { event: { cost_nano_usd: number; price_version: string } };
          assert.ok(event.cost_nano_usd <= max, `${name}, ${summary}: cost ${event.cost_nano_usd}, estimate ${max}`);
          assert.equal(event.price_version, price_version);
          return true;
        },
        { what: `the receipt of ${name}, ${summary}`, timeoutMs: 30_000 },
      );
    }
  });

  test("an estimate requires no balance and charges nothing", async () => {
    const { client, key } = await newEmptyAccount(fleet);
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello!" }], max_tokens: 100 };
    const { max_cost_nano_usd: max } = await estimate("chat.completions", body, { client });
    assert.ok(max > 0);
    assert.equal((await client.post("/v1/chat/completions", body)).status, 402);
    const api = adminApi(fleet.run);
    const { data } = (await api.call("GET", `/ledger?account=${key.accountId}`)) as { data: object[] };
    assert.deepEqual(data, []);
    const { entries } = (await api.call("GET", `/accounts/${key.accountId}/holds`)) as { entries?: object[] };
    assert.deepEqual(entries ?? [], []);
  });

  test("an estimate counts a long prompt and ignores the balance", async () => {
    const content = "a word and another ".repeat(2_000);
    const { max_cost_nano_usd: max, hold_nano_usd: hold } = await estimate("chat.completions", {
      model: "gpt-4o-mini",
      messages: [{ role: "user", content }],
      max_tokens: 1,
    });
    assert.ok(max * 2 < hold, `${max} of ${hold}: the hold bounds a token by its bytes`);
  });

  test("an estimate bounds an image edit, whose body is a form", async () => {
    const { base_url: base, api_key: key } = fleet.run;
    const form = new FormData();
    form.set("model", "gamma-image-1");
    form.set("prompt", "a boat");
    form.set("image", new File([Buffer.from(square, "base64")], "square.png", { type: "image/png" }));
    const response = await fetch(`${base}/v1/estimate/images/edits`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    assert.ok(schema.parse(await response.json()).max_cost_nano_usd > 0);
  });

  test("an estimate is refused for the same reasons as the request, in the same format", async () => {
    const wrong = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hi" }], temperature: 9 };
    const errorOf = async (path: string) => {
      const response = await fleet.client.post(path, wrong);
      return [response.status, ((await response.json()) as { error: object }).error] as const;
    };
    const expected = await errorOf("/v1/chat/completions");
    const shown = await errorOf("/v1/estimate/chat/completions");
    assert.equal(expected[0], 400);
    assert.deepEqual(shown, expected);
    const native = await fleet.client.post("/v1/estimate/messages", { model: "no-such", max_tokens: 1, messages: [] });
    assert.equal(((await native.json()) as { type: string }).type, "error");
  });
});
