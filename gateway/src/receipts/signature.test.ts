import assert from "node:assert/strict";
import { test } from "node:test";
import { receiptSigner, verifiedPayload } from "./signature.ts";

/** RFC 8037, appendix A.1, in hex. */
const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const other = "01".repeat(32);
const payload = '{"request_id":"req_1","cost_nano_usd":27150}';

test("publishes the public key and the thumbprint of RFC 8037's example", () => {
  const [key] = receiptSigner(seed).keys;
  assert.equal(key?.x, "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
  assert.equal(key.kid, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
});

test("a signed receipt verifies with the published keys, also after the key was replaced", () => {
  const signer = receiptSigner(seed);
  const jws = signer.sign(payload);
  assert.equal(verifiedPayload(jws, signer.keys), payload);
  assert.equal(verifiedPayload(jws, receiptSigner(other, [seed]).keys), payload);
});

test("rejects a changed payload, another algorithm, an unknown key, and anything that is not a signature", () => {
  const signer = receiptSigner(seed);
  const [header = "", , signature = ""] = signer.sign(payload).split(".");
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const cheaper = `${header}.${encoded({ request_id: "req_1", cost_nano_usd: 1 })}.${signature}`;
  assert.throws(() => verifiedPayload(cheaper, signer.keys), /does not match/);
  const unsigned = `${encoded({ alg: "none" })}.${encoded({})}.${signature}`;
  assert.throws(() => verifiedPayload(unsigned, signer.keys), /signed with none. Only EdDSA/);
  assert.throws(() => verifiedPayload(signer.sign(payload), receiptSigner(other).keys), /not among the published/);
  for (const broken of ["", "a.b", `${signer.sign(payload)}.x`])
    assert.throws(() => verifiedPayload(broken, signer.keys), /not a compact/);
});
