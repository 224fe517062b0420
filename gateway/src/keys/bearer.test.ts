import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { bearerKey } from "./bearer.ts";

const read = (...values: string[]): string =>
  bearerKey(
    values[0] === undefined ? {} : { authorization: values[0] },
    values.flatMap((v) => ["Authorization", v]),
  );

test("a bearer token is found whatever the case of its scheme and the spaces around it", () => {
  for (const value of ["Bearer k-1", "bearer k-1", "BEARER k-1", "Bearer   k-1", " Bearer k-1 ", "Bearer k-1  "])
    assert.equal(read(value), "k-1", value);
});

test("what is not exactly one bearer token is refused", () => {
  const rows: string[][] = [
    [],
    [""],
    ["Bearer"],
    ["Bearer "],
    ["Bearerk-1"],
    ["Basic k-1"],
    ["k-1"],
    ["Bearer a", "Bearer b"],
  ];
  for (const values of rows)
    assert.throws(
      () => read(...values),
      (error) => error instanceof GatewayError && error.code === "invalid_api_key",
    );
});

test("a long run of spaces costs no more than it is long", () => {
  const started = performance.now();
  assert.throws(() => read(`Basic${" ".repeat(16_000)}x`), GatewayError);
  assert.throws(() => read(`bearer${" ".repeat(16_000)}`), GatewayError);
  assert.ok(performance.now() - started < 100);
});

test("x-api-key in its place is told how to come", () => {
  assert.throws(() => bearerKey({ "x-api-key": "k" }, ["x-api-key", "k"]), /Authorization: Bearer/);
});
