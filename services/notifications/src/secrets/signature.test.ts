import assert from "node:assert/strict";
import { test } from "node:test";
import { keyringOf } from "@uag/runtime/keyring";
import { SecretBox } from "@uag/runtime/secret-box";
import { Webhook } from "standardwebhooks";
import { newSecret, webhookHeaders } from "./signature.ts";

const body = JSON.stringify({ type: "video.generation.succeeded", data: { id: "t", note: "überraschend 🎬" } });
const now = (): number => Math.floor(Date.now() / 1_000);

test("signs the specification's example as documented", () => {
  const headers = webhookHeaders(
    { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body: '{"test": 2432232314}' },
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  );
  assert.equal(headers["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("the official library verifies signed webhooks", () => {
  const secret = newSecret();
  const headers = webhookHeaders({ id: "msg_1", timestamp: now(), body }, [secret]);
  assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
});

test("during a rotation receivers with the old and with the new secret both verify", () => {
  const [fresh, old] = [newSecret(), newSecret()];
  const headers = webhookHeaders({ id: "msg_1", timestamp: now(), body }, [fresh, old]);
  for (const secret of [fresh, old]) new Webhook(secret).verify(body, headers);
  assert.throws(() => new Webhook(newSecret()).verify(body, headers));
});

test("a changed body does not verify", () => {
  const secret = newSecret();
  const headers = webhookHeaders({ id: "msg_1", timestamp: now(), body }, [secret]);
  assert.throws(() => new Webhook(secret).verify(`${body} `, headers));
});

test("a stored secret decrypts only under its key and for its account", () => {
  const secret = newSecret();
  const [ours, other] = [keyringOf("ab".repeat(32)), keyringOf("cd".repeat(32))];
  const sealed = new SecretBox(ours).seal(secret, "acct_1");
  assert.equal(new SecretBox(ours).open(sealed, "acct_1"), secret);
  assert.throws(() => new SecretBox(ours).open(sealed, "acct_2"));
  assert.throws(() => new SecretBox(other).open(sealed, "acct_1"));
  assert.equal(sealed.box.includes(secret.slice(6, 20)), false);
});

test("after a key rotation secrets sealed under the previous key open, and are marked for re-encryption", () => {
  const secret = newSecret();
  const [old, young] = ["ab".repeat(32), "cd".repeat(32)];
  const { box, ...named } = new SecretBox(keyringOf(old)).seal(secret, "acct_1");
  const during = new SecretBox(keyringOf(young, [old]));
  // The second is in the format from before boxes named their key.
  for (const sealed of [{ box, ...named }, { box }]) {
    assert.equal(during.open(sealed, "acct_1"), secret);
    assert.equal(during.isStale(sealed), true);
    assert.throws(() => new SecretBox(keyringOf(young)).open(sealed, "acct_1"));
  }
  const again = during.seal(secret, "acct_1");
  assert.equal(during.isStale(again), false);
  assert.equal(new SecretBox(keyringOf(young)).open(again, "acct_1"), secret);
});
