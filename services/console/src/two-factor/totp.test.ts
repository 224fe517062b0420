import assert from "node:assert/strict";
import { test } from "node:test";
import { newRecoveryCodes, recoveryDigest } from "./recovery-codes.ts";
import { newTotpSecret, stepOf, totpUri } from "./totp.ts";

/** The secret of RFC 6238's test vectors, "12345678901234567890", in base32. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

test("codes are those of RFC 6238 for SHA-1, in six digits", () => {
  for (const [seconds, code] of [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [20_000_000_000, "353130"],
  ] as const)
    assert.equal(stepOf(secret, code, seconds * 1_000), Math.floor(seconds / 30));
});

test("a clock may be off by one step, and no further", () => {
  const at = (steps: number): number => (1_111_111_109 + 30 * steps) * 1_000;
  const step = Math.floor(1_111_111_109 / 30);
  assert.deepEqual(
    [-2, -1, 0, 1, 2].map((steps) => stepOf(secret, "081804", at(steps))),
    [undefined, step, step, step, undefined],
  );
});

test("a new secret has 160 bits, and its address names the issuer, the user and the secret", () => {
  const fresh = newTotpSecret();
  assert.match(fresh, /^[A-Z2-7]{32}$/);
  const { protocol, pathname, searchParams } = new URL(totpUri(fresh, "ann@example.com"));
  assert.equal(protocol, "otpauth:");
  assert.match(decodeURIComponent(pathname), /AI Gateway:ann@example\.com$/);
  assert.equal(searchParams.get("secret"), fresh);
});

test("recovery codes differ, and are recognized in any case and with any separators", () => {
  const codes = newRecoveryCodes();
  assert.equal(new Set(codes).size, 10);
  const [code = ""] = codes;
  assert.equal(recoveryDigest(code.toUpperCase().replaceAll("-", " ")), recoveryDigest(code));
});
