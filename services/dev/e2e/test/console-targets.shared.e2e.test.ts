import assert from "node:assert/strict";
import { request } from "node:http";
import { before, describe, test } from "node:test";
import { createTestClient } from "@uag/harness/fleet/client";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { seededInt } from "@uag/harness/testing/seeded-random";
import { waitFor } from "@uag/harness/testing/wait-for";
import { enrol, firstOperator } from "./console/people.ts";
import type { Visitor } from "./console/visitor.ts";

interface Key {
  readonly id: string;
  readonly key: string;
}

const paths = ["/usage", "/usage/events", "/usage/series", "/usage/export"];

/** Sends a target unchanged: `fetch` would normalize it. */
function getRaw(fleet: SharedFleet, { cookie }: Visitor, path: string): Promise<{ status: number; text: string }> {
  const { hostname, port, pathname } = new URL(fleet.run.console_url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: pathname + path, headers: { cookie } }, async (response) => {
      let text = "";
      for await (const chunk of response) text += String(chunk);
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.once("error", reject).end();
  });
}

describe("request targets sent by a member", () => {
  let fleet: SharedFleet;
  let member: Visitor;
  let own: Key;
  let others: Key;

  before(async () => {
    fleet = await openSharedFleet();
    const operator = await firstOperator(fleet);
    const account = { account_id: fleet.run.account_id };
    member = await enrol(fleet, operator, { email: "reader@example.com", role: "member", ...account });
    own = (await member.post("/api/admin/v1/keys", { key_alias: "own" })).json();
    others = (await operator.post("/api/admin/v1/keys", { key_alias: "theirs", ...account })).json();
    for (const { key: apiKey } of [own, others]) {
      const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] };
      const client = createTestClient({ baseUrl: fleet.run.base_url, apiKey });
      assert.equal((await client.post("/v1/chat/completions", body)).status, 200);
    }
    for (const { id } of [own, others])
      await waitFor(async () => (await operator.get(`/api/admin/v1/usage/events?key=${id}`)).json().data.length === 1);
  });

  const get = (target: string) => getRaw(fleet, member, `/api/admin/v1${target}`);

  test("show the member the usage of their own key", async () => {
    for (const path of ["/usage", "/usage/events", "/usage/export"]) {
      const { status, text } = await get(`${path}?key=${own.id}`);
      assert.equal(status, 200, text);
      assert.ok(text.includes(own.id), text);
    }
  });

  test("show nothing of another key when console and router could parse the query differently", async () => {
    for (const tail of [`??key=${own.id}`, `?limit=10?&key=${own.id}`, `#?key=${own.id}`, `?#&key=${own.id}`])
      for (const path of paths) {
        const { status, text } = await get(`${path}${tail}`);
        assert.ok(status === 400 || status === 404, `${path}${tail} ${status} ${text}`);
      }
  });

  test("show nothing of another key or account for any generated target", async () => {
    const below = seededInt(34);
    const { account_id: account } = fleet.run;
    const names = ["key", "Key", "%6bey", "key%00", "key[]", "?key", ";key", "account", "limit", "group_by", ""];
    const values = [own.id, others.id, `${own.id}?`, `${own.id}%23`, account, "key", "10", "", "..", "%"];
    const marks = ["?", "??", "#", ";", "&", "&&", "%3f", "%26", "/", "//"];
    const one = (list: readonly string[]): string => list[below(list.length)] ?? "";
    for (let round = 0; round < 600; round++) {
      const fields = Array.from({ length: below(4) }, () => `${one(marks)}${one(names)}=${one(values)}`);
      const target = `${one(paths)}?${fields.join("")}`;
      const { status, text } = await get(target);
      // A refusal may quote the query; only usage is confidential.
      if (status === 200) {
        assert.ok(!text.includes(others.id), `${target} ${text}`);
        const costs = [...text.matchAll(/"requests":\s*"?(\d+)/g)].map(([, count]) => Number(count));
        assert.ok(
          costs.every((count) => count <= 1),
          `${target} ${text}`,
        );
      } else assert.ok(status >= 400 && status < 500, `${target} ${status} ${text}`);
    }
  });
});
