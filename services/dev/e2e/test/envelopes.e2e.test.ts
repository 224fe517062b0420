import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestClient, type TestClient } from "@uag/harness/fleet/client";
import { type TestFleet, withFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";

interface Envelope {
  readonly id: string;
  readonly key: string;
  readonly max_usd: string;
  readonly spent_usd: string;
  readonly reserved_usd: string;
  readonly costs: { readonly total_usd: string };
}

/** Each costs about 0.00012 USD, and holds little more. */
const body = { model: "gpt-4o-mini", max_tokens: 210, messages: [{ role: "user", content: "repeat 200 words" }] };
const requests = 60;
const nano = (usd: string): bigint => BigInt(usd.replace(".", ""));

async function open({ run }: TestFleet, client: TestClient, maxUsd: string) {
  const { status, text, json } = await client.post("/v1/envelopes", { max_usd: maxUsd, ttl: 3_600 });
  assert.equal(status, 201, text);
  const envelope = json<Envelope>();
  return { envelope, client: createTestClient({ baseUrl: run.base_url, apiKey: envelope.key }) };
}

/** Sends a request, every second one as a stream; a stream's response is read to its end. */
async function ask(client: TestClient, at: number): Promise<number> {
  const { status } = await client.post("/v1/chat/completions", { ...body, stream: at % 2 === 0 });
  return status;
}

test("a run on two replicas of billing and chat, killed under way, never spends more than its envelope, and the books are exact", async () => {
  const replicas = { billing: 2, chat: 2 };
  await withFleet({ services: ["billing", "metering", "chat", "router"], replicas }, async (fleet) => {
    const top = await open(fleet, fleet.client, "0.003");
    const agents = await Promise.all(["0.003", "0.002", "0.001"].map((usd) => open(fleet, top.client, usd)));
    const victims = fleet.processes.names().filter((name) => name.startsWith("billing"));
    assert.equal(victims.length, 2, victims.join());
    const statuses: number[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < requests; at = next++) {
        const { client } = agents[at % agents.length] as (typeof agents)[number];
        // A client without a response does not know: what is charged decides.
        statuses.push(await ask(client, at).catch(() => 0));
        const victim = victims[[15, 30].indexOf(at)];
        if (victim !== undefined) await fleet.processes.kill(victim);
      }
    };
    await Promise.all(Array.from({ length: 12 }, work));
    assert.ok(statuses.filter((status) => status === 200).length >= 8, statuses.join());
    // Until the envelope is used up, whatever was refused while billing was away.
    await waitFor(async () => (await ask(agents[0]?.client as TestClient, 1)) === 402, { what: "the envelope's end" });

    // Like a client, it repeats what is refused with 503 while billing restarts.
    const { status, text } = await waitFor(
      async () => {
        const response = await fleet.client.post(`/v1/envelopes/${top.envelope.id}/close`, {});
        return response.status !== 503 && response;
      },
      { what: "billing" },
    );
    assert.equal(status, 200, text);
    const audit = await fleet.audit();
    assert.deepEqual(audit.violations, []);
    for (const { envelope } of [top, ...agents]) {
      const shown = async () => (await fleet.client.get(`/v1/envelopes/${envelope.id}`)).json<Envelope>();
      await waitFor(
        async () => {
          const { reserved_usd, spent_usd, costs } = await shown();
          return nano(reserved_usd) === 0n && costs.total_usd === spent_usd;
        },
        { what: "all charges, and the return of the rest" },
      );
      const { spent_usd, max_usd } = await shown();
      assert.ok(nano(spent_usd) <= nano(max_usd), `${spent_usd} of ${max_usd}`);
      if (envelope === top.envelope) assert.ok(nano(spent_usd) > nano(max_usd) / 2n, `${spent_usd} of ${max_usd}`);
    }
  });
});
