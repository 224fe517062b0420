import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { keyringOf, previousSecrets } from "./keyring.ts";

const [one, two, three] = ["11", "22", "33"].map((byte) => byte.repeat(32)) as [string, string, string];

test("each secret has a stable id that reveals nothing about it", () => {
  const ring = keyringOf(one, [two, three, two, one]);
  assert.deepEqual(
    ring.all.map(({ secret }) => secret.toString("hex")),
    [one, two, three],
  );
  assert.equal(new Set(ring.all.map(({ id }) => id)).size, 3);
  assert.equal(keyringOf(two).current.id, ring.previous[0]?.id);
  assert.ok(ring.all.every(({ id, secret }) => /^[0-9a-f]{8}$/.test(id) && !secret.toString("hex").includes(id)));
});

test("reads previous secrets as a comma-separated list, each in the form of the current one", () => {
  const setting = previousSecrets(z.string().regex(/^[0-9a-f]{64}$/));
  assert.deepEqual(setting.parse(`${one}, ${two}`), [one, two]);
  assert.equal(setting.parse(undefined), undefined);
  assert.equal(setting.safeParse(`${one},short`).success, false);
  assert.equal(setting.safeParse(Array.from({ length: 9 }, () => one).join(",")).success, false);
});
