import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { type LimitedKey, newAccount } from "@uag/harness/fleet/limited-key";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";

const params = (text: string, model = "claude-sonnet-4-6") => ({
  model,
  max_tokens: 20,
  messages: [{ role: "user" as const, content: text }],
});

describe("batches of messages through the public server", () => {
  let fleet: SharedFleet;
  let anthropic: Anthropic;

  before(async () => {
    fleet = await openSharedFleet();
    anthropic = clientOf(await newAccount(fleet, 1_000_000_000n));
  });

  const clientOf = ({ secret }: LimitedKey): Anthropic =>
    new Anthropic({ authToken: secret, apiKey: null, baseURL: fleet.run.base_url, maxRetries: 0 });

  const ended = (client: Anthropic, id: string) =>
    waitFor(
      async () => {
        const batch = await client.messages.batches.retrieve(id);
        return batch.processing_status === "ended" && batch;
      },
      { everyMs: 200, what: "the batch to end" },
    );

  async function resultsOf(client: Anthropic, id: string) {
    const found = new Map<string, Anthropic.Messages.MessageBatchResult>();
    for await (const { custom_id, result } of await client.messages.batches.results(id)) {
      assert.ok(!found.has(custom_id), `${custom_id} has one result`);
      found.set(custom_id, result);
    }
    return found;
  }

  const fails = (call: PromiseLike<unknown>, status: number, words: RegExp) =>
    assert.rejects(Promise.resolve(call), (error: InstanceType<typeof Anthropic.APIError>) => {
      assert.deepEqual([error.status, words.test(error.message)], [status, true], error.message);
      return true;
    });

  test("the Anthropic SDK creates a batch, reads one result of each message, and deletes it", async () => {
    const requests = [
      { custom_id: "claude", params: params("Hello!") },
      { custom_id: "another-model", params: params("Hello!", "gpt-4o-mini") },
      { custom_id: "unknown", params: params("Hello!", "no-such-model") },
    ];
    const created = await anthropic.messages.batches.create({ requests });
    assert.deepEqual(
      [created.type, created.processing_status, created.results_url],
      ["message_batch", "in_progress", null],
    );
    const batch = await ended(anthropic, created.id);
    const counts = { processing: 0, succeeded: 2, errored: 1, canceled: 0, expired: 0 };
    assert.deepEqual(batch.request_counts, counts);
    const results = await resultsOf(anthropic, created.id);
    assert.deepEqual([...results.keys()].toSorted(), ["another-model", "claude", "unknown"]);
    for (const id of ["claude", "another-model"]) {
      const result = results.get(id);
      assert.ok(result?.type === "succeeded" && result.message.usage.output_tokens > 0);
    }
    const failed = results.get("unknown");
    assert.ok(failed?.type === "errored");
    assert.deepEqual([failed.error.type, failed.error.error.type], ["error", "not_found_error"]);
    assert.deepEqual(await anthropic.messages.batches.delete(created.id), {
      id: created.id,
      type: "message_batch_deleted",
    });
    await fails(anthropic.messages.batches.retrieve(created.id), 404, /The batch does not exist/);
  });

  test("a cancelled batch has a result for each message, and it is not deleted while it runs", async () => {
    const requests = Array.from({ length: 1_500 }, (_, n) => ({ custom_id: `m-${n}`, params: params(`message ${n}`) }));
    const { id } = await anthropic.messages.batches.create({ requests });
    await fails(anthropic.messages.batches.delete(id), 400, /once it has ended/);
    await fails(anthropic.get(`/v1/messages/batches/${id}/results`), 404, /no results yet/);
    assert.equal((await anthropic.messages.batches.cancel(id)).processing_status, "canceling");
    const { request_counts: counts, cancel_initiated_at: cancelledAt } = await ended(anthropic, id);
    assert.ok(cancelledAt !== null && counts.canceled > 0);
    assert.equal(counts.canceled + counts.succeeded, 1_500);
    const types = Map.groupBy((await resultsOf(anthropic, id)).values(), ({ type }) => type);
    assert.equal(types.get("canceled")?.length, counts.canceled);
    assert.equal(types.get("succeeded")?.length ?? 0, counts.succeeded);
  });

  test("pages list every batch once, and only those of the account", async () => {
    const own = clientOf(await newAccount(fleet, 1_000_000_000n));
    const ids: string[] = [];
    for (let n = 0; n < 3; n++)
      ids.push((await own.messages.batches.create({ requests: [{ custom_id: "a", params: params("Hi") }] })).id);
    const listed: string[] = [];
    for await (const { id } of own.messages.batches.list({ limit: 2 })) listed.push(id);
    assert.deepEqual(listed, ids.toReversed());
    const newer = await own.messages.batches.list({ before_id: ids[0] ?? "", limit: 1 });
    assert.deepEqual(
      newer.data.map(({ id }) => id),
      [ids[1]],
    );
    await fails(anthropic.messages.batches.retrieve(ids[0] ?? ""), 404, /The batch does not exist/);
  });

  test("an invalid request creates nothing, and the error names the field", async () => {
    const create = (requests: readonly object[]) => anthropic.messages.batches.create({ requests: requests as never });
    const one = { custom_id: "a", params: params("Hi") };
    await fails(create([]), 400, /requests: must have at least one request/);
    await fails(create([one, one]), 400, /requests\[1\]\.custom_id: another request/);
    await fails(create([{ ...one, custom_id: "a b" }]), 400, /requests\[0\]\.custom_id: must have 1 to 64/);
    await fails(create([{ ...one, params: { ...one.params, stream: true } }]), 400, /requests\[0\]\.params\.stream/);
  });
});
