import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import type { ResolveKeyRequest } from "@uag/proto/billing/v1/keys.ts";
import { digestKey } from "@uag/runtime/api-key";
import { keyringOf } from "@uag/runtime/keyring";
import { fund, pepper, resolveKey, scratch, startBilling } from "./harness.ts";

const refused = (code: string) => (error: unknown) => (error as GatewayError).code === code;
const newPepper = "77".repeat(32);

/** The lookup of a router that has these peppers. */
function lookUpOf(secret: string, current: string, ...previous: string[]): ResolveKeyRequest {
  const ring = keyringOf(current, previous);
  return {
    digest: digestKey(secret, ring.current.secret),
    previousDigests: ring.previous.map((one) => digestKey(secret, one.secret)),
    pepperId: ring.current.id,
  };
}

const keyOf = (accountId: string) => ({ accountId, name: "k", models: [], limits: undefined, expiresAtMs: 0n });

test("rotating the pepper invalidates no key in use: it is stored under the new pepper and survives the old one", async () => {
  await using db = scratch();
  const made = await (async () => {
    await using billing = await startBilling(db.env);
    const accountId = await fund(billing, 1n);
    const used = await billing.keys.createKey(keyOf(accountId));
    const unused = await billing.keys.createKey(keyOf(accountId));
    return { used: used.secret, unused: unused.secret, id: used.key?.id };
  })();
  {
    await using billing = await startBilling({ ...db.env, KEY_PEPPER: newPepper, KEY_PEPPER_PREVIOUS: pepper });
    const find = async (request: ResolveKeyRequest) => (await resolveKey(billing, request)).caller?.keyId;
    // A router that does not have the new pepper yet changes nothing.
    assert.equal(await find(lookUpOf(made.used, pepper)), made.id);
    assert.equal(await find(lookUpOf(made.used, pepper, newPepper)), made.id);
    assert.equal(await find(lookUpOf(made.used, newPepper, pepper)), made.id);
    assert.equal(await find(lookUpOf(made.used, pepper, newPepper)), made.id);
  }
  await using billing = await startBilling({ ...db.env, KEY_PEPPER: newPepper });
  assert.equal((await resolveKey(billing, lookUpOf(made.used, newPepper))).caller?.keyId, made.id);
  await assert.rejects(resolveKey(billing, lookUpOf(made.unused, newPepper)), refused("not_found"));
});

test("looks up many keys at once, each like a single lookup", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1n);
  const [good, revoked] = [
    await billing.keys.createKey(keyOf(accountId)),
    await billing.keys.createKey(keyOf(accountId)),
  ];
  await billing.keys.revokeKey({ id: revoked.key?.id ?? "" });
  const invented = Array.from({ length: 500 }, (_, index) => lookUpOf(`sk-${index}`, pepper));
  const keys = [...invented, lookUpOf(good.secret, pepper), lookUpOf(revoked.secret, pepper)];
  const response = (await billing.keys.resolveKeys({ keys })).keys;
  assert.equal(response.length, keys.length);
  assert.ok(response.slice(0, 500).every(({ caller }) => caller === undefined));
  assert.deepEqual(
    response.slice(500).map((one) => [one.caller?.keyId, one.revoked]),
    [
      [good.key?.id, false],
      [revoked.key?.id, true],
    ],
  );
  const tooMany = Array.from({ length: 1_001 }, () => lookUpOf("sk-x", pepper));
  await assert.rejects(billing.keys.resolveKeys({ keys: tooMany }), refused("invalid_request"));
});

test("a key that is looked up by its id is the same as by its digest, also among others and when it is revoked", async () => {
  await using db = scratch();
  await using billing = await startBilling(db.env);
  const accountId = await fund(billing, 1n);
  const [good, revoked] = [
    await billing.keys.createKey(keyOf(accountId)),
    await billing.keys.createKey(keyOf(accountId)),
  ];
  await billing.keys.revokeKey({ id: revoked.key?.id ?? "" });
  const byId = (keyId = ""): ResolveKeyRequest => ({ digest: Buffer.alloc(0), previousDigests: [], keyId });
  const keys = [byId(good.key?.id), lookUpOf(good.secret, pepper), byId(revoked.key?.id), byId("key_unknown"), byId()];
  const [first, second, third, unknown, empty] = (await billing.keys.resolveKeys({ keys })).keys;
  assert.deepEqual(first, second);
  assert.deepEqual([first?.caller?.keyId, first?.revoked], [good.key?.id, false]);
  assert.deepEqual([third?.caller?.keyId, third?.revoked], [revoked.key?.id, true]);
  assert.deepEqual([unknown?.caller, empty?.caller], [undefined, undefined]);
});
