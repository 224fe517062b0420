import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { bearerKey, keyOf } from "./bearer.ts";

const read = (...values: string[]): string =>
  bearerKey(
    values[0] === undefined ? {} : { authorization: values[0] },
    values.flatMap((v) => ["Authorization", v]),
  );

test("a bearer token is accepted regardless of the scheme's case and extra spaces", () => {
  for (const value of ["Bearer k-1", "bearer k-1", "BEARER k-1", "Bearer   k-1", " Bearer k-1 ", "Bearer k-1  "])
    assert.equal(read(value), "k-1", value);
});

test("anything but exactly one bearer token is rejected", () => {
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

test("a long run of spaces takes linear time", () => {
  const started = performance.now();
  assert.throws(() => read(`Basic${" ".repeat(16_000)}x`), GatewayError);
  assert.throws(() => read(`bearer${" ".repeat(16_000)}`), GatewayError);
  assert.ok(performance.now() - started < 100);
});

test("a route's own header holds the key where no Authorization header does", () => {
  const own = { headers: { "x-goog-api-key": "k-2" }, rawHeaders: ["x-goog-api-key", "k-2"] };
  assert.equal(keyOf(own, "x-goog-api-key"), "k-2");
  const both = {
    headers: { ...own.headers, authorization: "Bearer k-1" },
    rawHeaders: ["authorization", "Bearer k-1"],
  };
  assert.equal(keyOf(both, "x-goog-api-key"), "k-1");
  assert.throws(() => keyOf(own, undefined), /No API key was sent/);
  const twice = { ...own, rawHeaders: [...own.rawHeaders, ...own.rawHeaders] };
  assert.throws(() => keyOf(twice, "x-goog-api-key"), /More than one header x-goog-api-key/);
  assert.throws(() => keyOf({ headers: { "x-goog-api-key": "" }, rawHeaders: [] }, "x-goog-api-key"), GatewayError);
});
