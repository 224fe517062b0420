import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { adminApi } from "@uag/cli/commands/admin-api";
import { newAccount } from "@uag/harness/fleet/limited-key";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";

const balance = 1_500_000n;

interface Account {
  readonly available_nano_usd: number;
  readonly charged_nano_usd: number;
  readonly lower_output_cap: boolean;
}

interface Receipt {
  readonly event: { readonly cost_nano_usd: number };
}

describe("a balance that does not cover the model's longest response", () => {
  let fleet: SharedFleet;
  before(async () => {
    fleet = await openSharedFleet();
  });

  const question = { model: "gpt-4o-mini", messages: [{ role: "user", content: "echo body" }] };

  test("refuses a request without max_tokens, and names the field that would make it fit", async () => {
    const { client } = await newAccount(fleet, balance);
    const refused = await client.post("/v1/chat/completions", question);
    assert.equal(refused.status, 402, refused.text);
    assert.match(
      refused.text,
      /Without max_tokens it reserves the model's longest output, 16,384 tokens: send a smaller/,
    );
    const small = await client.post("/v1/chat/completions", { ...question, max_tokens: 200 });
    assert.deepEqual([small.status, small.headers.get("x-gateway-max-tokens")], [200, null]);
  });

  test("caps the output where the account has set lower_output_cap: in the hold, upstream and in a header", async () => {
    const { client, key } = await newAccount(fleet, balance);
    const api = adminApi(fleet.run);
    const path = `/accounts/${key.accountId}`;
    assert.equal((await client.post("/v1/chat/completions", question)).status, 402, "it is off by default");
    const changed = (await api.call("PATCH", path, { lower_output_cap: true })) as Account;
    assert.equal(changed.lower_output_cap, true);
    const capped = await waitFor(async () => {
      const response = await client.post("/v1/chat/completions", question);
      return response.status === 200 && response;
    });
    const cap = Number(capped.headers.get("x-gateway-max-tokens"));
    assert.ok(cap > 1_000 && cap < 2_500, String(cap));
    const [choice] = capped.json<{ choices: { message: { content: string } }[] }>().choices;
    assert.match(choice?.message.content ?? "", new RegExp(`"max_(completion_)?tokens":\\s*${cap}\\b`));

    const id = capped.headers.get("x-request-id");
    const { event } = await waitFor(
      async () => (await api.call("GET", `/usage/events/${id}`).catch(() => undefined)) as Receipt | undefined,
    );
    const account = (await api.call("GET", path)) as Account;
    assert.ok(event.cost_nano_usd > 0 && BigInt(event.cost_nano_usd) <= balance);
    assert.equal(account.charged_nano_usd, event.cost_nano_usd);
    assert.ok(account.available_nano_usd >= 0);

    const refused = await client.post("/v1/chat/completions", { ...question, max_tokens: 16_000 });
    assert.equal(refused.status, 402, "a client's own cap is not lowered");
    assert.match(refused.text, /It reserves max_tokens, 16,000 tokens: send a smaller max_tokens/);
  });
});
