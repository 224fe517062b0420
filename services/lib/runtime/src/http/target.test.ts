import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { pathOf, queryOf, targetFrom } from "./target.ts";

test("reads only what follows the first question mark as the query", () => {
  assert.deepEqual(
    [...queryOf("/usage?key=1&limit=2")],
    [
      ["key", "1"],
      ["limit", "2"],
    ],
  );
  assert.deepEqual([...queryOf("/usage??key=1")], [["?key", "1"]]);
  assert.deepEqual(
    [...queryOf("/usage?limit=10?&key=1")],
    [
      ["limit", "10?"],
      ["key", "1"],
    ],
  );
  assert.deepEqual([...queryOf("/usage")], []);
  assert.equal(pathOf("/usage??key=1"), "/usage");
});

test("a rebuilt target has the same path and query for every parser, whatever the client sent", () => {
  const random = seededRandom(34);
  const pieces = [
    "?",
    "??",
    "#",
    ";",
    "%",
    "%3f",
    "%23",
    "%26",
    "&",
    "&&",
    "=",
    "key=own",
    "key=other",
    "a b",
    "é",
    "+",
    "",
  ];
  for (let i = 0; i < 20_000; i++) {
    const count = Math.floor(random() * 8);
    const tail = Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)]).join("");
    const query = queryOf(`/usage?${tail}`);
    const id = pieces[Math.floor(random() * pieces.length)] || "key_1";
    const rebuilt = targetFrom("/keys/:id", { id }, query);
    const url = new URL(rebuilt, "http://gateway");
    assert.deepEqual([...queryOf(rebuilt)], [...query], rebuilt);
    assert.deepEqual([...url.searchParams], [...query], rebuilt);
    assert.equal(pathOf(rebuilt), url.pathname);
    assert.equal(url.hash, "");
    assert.equal(decodeURIComponent(pathOf(rebuilt).slice("/keys/".length)), id);
  }
});

test("refuses a parameter that would be removed from the path as a dot segment", () => {
  for (const id of ["", ".", ".."])
    assert.throws(() => targetFrom("/keys/:id", { id }, new URLSearchParams()), { code: "not_found" });
});
