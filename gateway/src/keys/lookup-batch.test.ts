import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { ResolveKeyRequest, ResolveKeyResponse } from "@uag/proto/billing/v1/keys.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { LookupBatch, type LookupBatchOptions } from "./lookup-batch.ts";

const request = (name: string): ResolveKeyRequest => ({ digest: Buffer.from(name), previousDigests: [] });
const nameOf = ({ digest }: ResolveKeyRequest): string => digest.toString();
const respond = (one: ResolveKeyRequest): ResolveKeyResponse => ({
  caller: Caller.fromPartial({ keyId: nameOf(one) }),
  revoked: false,
});

/** Waits until batches scheduled for the next turn have been sent. */
async function sent(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}

function stage(changes: Partial<LookupBatchOptions> = {}) {
  const calls: { readonly names: string[]; readonly end: (responses: ResolveKeyResponse[]) => void }[] = [];
  const batch = new LookupBatch({
    call: (keys) => new Promise((end) => calls.push({ names: keys.map(nameOf), end })),
    waitMs: 0,
    maxCalls: 2,
    maxWaiting: 10,
    refusal: () => new GatewayError("service_unavailable"),
    ...changes,
  });
  return { calls, find: async (name: string) => (await batch.find(request(name))).caller?.keyId };
}

test("the first key is looked up at once; keys that arrive during a call share the next one", async () => {
  const { calls, find } = stage();
  const found = [find("a")];
  await sent();
  found.push(find("b"));
  await sent();
  found.push(find("c"), find("d"));
  await sent();
  assert.deepEqual(
    calls.map(({ names }) => names),
    [["a"], ["b"]],
  );
  calls[0]?.end(["a"].map((name) => respond(request(name))));
  await sent();
  assert.deepEqual(calls[2]?.names, ["c", "d"]);
  for (const { names, end } of calls.slice(1)) end(names.map((name) => respond(request(name))));
  assert.deepEqual(await Promise.all(found), ["a", "b", "c", "d"]);
});

test("each lookup gets its own result, and an unknown key is not found", async () => {
  const { calls, find } = stage();
  const found = Promise.allSettled([find("a"), find("nobody"), find("c")]);
  await sent();
  calls[0]?.end([respond(request("a")), { caller: undefined, revoked: false }, respond(request("c"))]);
  const [a, nobody, c] = await found;
  assert.deepEqual(
    [a, c],
    [
      { status: "fulfilled", value: "a" },
      { status: "fulfilled", value: "c" },
    ],
  );
  assert.ok(nobody.status === "rejected" && (nobody.reason as GatewayError).code === "not_found");
});

test("a failed call fails only its own lookups, and lookups over the queue limit are rejected", async () => {
  let calls = 0;
  const call = async (keys: ResolveKeyRequest[]) => {
    await sent();
    if (++calls === 1) throw new GatewayError("service_unavailable");
    return keys.map(respond);
  };
  const { find } = stage({ call, maxCalls: 1, maxWaiting: 2 });
  const first = find("a");
  const isUnavailable = (error: unknown) => (error as GatewayError).code === "service_unavailable";
  const failed = assert.rejects(first, isUnavailable);
  await nextTurn();
  const others = [find("b"), find("c")];
  await assert.rejects(find("d"), isUnavailable);
  await failed;
  assert.deepEqual(await Promise.all(others), ["b", "c"]);
});
