import assert from "node:assert/strict";
import { test } from "node:test";
import { modelListQuery, videoListQuery } from "@uag/contract/requests/queries";
import { readQuery } from "./query.ts";

const videos = (query: string) => readQuery(videoListQuery, `/v1/videos/generations${query}`);
const models = (query: string) => readQuery(modelListQuery, `/v1/models${query}`);

test("applies defaults and uses the first of repeated parameters", () => {
  assert.deepEqual(videos(""), { limit: 20 });
  assert.deepEqual(videos("?limit=3&limit=4&status=running&other=1"), { limit: 3, status: "running" });
});

test("names an invalid parameter in the error", () => {
  const faults = [
    ["?limit=0", "limit: must be a whole number from 1 to 100."],
    ["?limit=", "limit: must be a whole number from 1 to 100."],
    ["?limit=1.5", "limit: must be a whole number from 1 to 100."],
    ["?limit=many", "limit: must be a whole number from 1 to 100."],
    ["?cursor=%20", "cursor: must be the next_cursor of a previous page."],
  ] as const;
  for (const [query, message] of faults) assert.throws(() => videos(query), { code: "invalid_request", message });
  assert.throws(() => videos("?status=done"), /status: must be one of submitted, queued/);
});

test("the list of models ignores an invalid limit and returns at most 1,000 models", () => {
  for (const query of ["", "?limit=", "?limit=0", "?limit=many"]) assert.equal(models(query).limit, undefined, query);
  assert.equal(models("?limit=2.9").limit, 2);
  assert.equal(models("?limit=5000&after_id=a").limit, 1_000);
});

test("reads a query only up to the longest useful length", () => {
  assert.equal(models(`?x=${"x".repeat(5_000)}&limit=2`).limit, undefined);
});
