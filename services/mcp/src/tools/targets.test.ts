import assert from "node:assert/strict";
import { test } from "node:test";
import type { McpServer } from "@modelcontextprotocol/server";
import { Random } from "@uag/harness/testing/seeded-random";
import type { Exchange } from "../exchange.ts";
import type { ApiRequest } from "../gateway/public-api.ts";
import { getUsage } from "./quota.ts";
import type { Tool } from "./tool.ts";
import { cancelVideo, getVideo, waitForVideo } from "./videos.ts";

const pieces = [
  "?",
  "#",
  ";",
  "%",
  "%2f",
  "%2e",
  "/",
  "\\",
  "..",
  ".",
  "&",
  "=",
  "task_1",
  "é",
  "\ud800",
  " ",
  "\n",
  "",
];

type Handle = (args: unknown, context: { mcpReq: { id: number; signal: AbortSignal } }) => Promise<unknown>;

/** The call of the public API that a tool makes for arguments; undefined when they are refused. */
async function callOf(tool: Tool, args: object): Promise<ApiRequest | undefined> {
  if (!tool.input.safeParse(args).success) return undefined;
  let called: ApiRequest | undefined;
  let handle: Handle | undefined;
  const server = { registerTool: (_name: string, _shown: object, given: Handle) => (handle = given) };
  const { signal } = new AbortController();
  const exchange = {
    models: [],
    signal,
    events: { called: () => undefined, failed: () => undefined },
    call(request: ApiRequest): never {
      called = request;
      throw new Error("not sent");
    },
  };
  tool.register(server as unknown as McpServer, exchange as unknown as Exchange);
  await handle?.(args, { mcpReq: { id: 1, signal } });
  assert.ok(called !== undefined, JSON.stringify(args));
  return called;
}

test("a tool calls only the path that its id names, however the path is parsed, or rejects the id", async () => {
  const random = new Random(34);
  let accepted = 0;
  for (let round = 0; round < 3_000; round++) {
    const id = Array.from({ length: random.int(4) }, () => random.pick(pieces)).join("");
    for (const tool of [getVideo, waitForVideo, cancelVideo]) {
      const call = await callOf(tool, { id, timeout_seconds: 1 });
      if (call === undefined) continue;
      accepted++;
      const url = new URL(call.path, "http://gateway");
      assert.deepEqual([url.pathname, url.search, url.hash], [`/v1/videos/generations/${id}`, "", ""], id);
    }
  }
  assert.ok(accepted > 100, String(accepted));
});

test("a tool sends the dates that it has checked, and no other field of a query", async () => {
  const random = new Random(34);
  for (let round = 0; round < 3_000; round++) {
    const text = (): string => `2026-01-0${1 + random.int(9)}${random.chance(0.5) ? random.pick(pieces) : ""}`;
    const dates = { start_date: text(), end_date: text() };
    const call = await callOf(getUsage, dates);
    if (call === undefined) continue;
    const url = new URL(call.path, "http://gateway");
    assert.deepEqual(Object.fromEntries(url.searchParams), dates);
    assert.equal(url.pathname, "/v1/dashboard/billing/usage");
  }
});
