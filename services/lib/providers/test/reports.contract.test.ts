import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { dayOf } from "@uag/runtime/utc-days";
import { anthropicReports } from "../src/anthropic/reports.ts";
import { HttpPools } from "../src/http/pools.ts";
import { openAiReports } from "../src/openai/reports.ts";
import type { ReportAccess } from "../src/reports/client.ts";
import { ReportError } from "../src/reports/types.ts";

type Handle = (url: URL, response: ServerResponse) => void;

/** A provider's administration API on a port of its own. */
async function withApi(handle: Handle, work: (access: ReportAccess, seen: URL[]) => Promise<void>): Promise<void> {
  const seen: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://api");
    seen.push(url);
    handle(url, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await using pools = new HttpPools();
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await work({ pools, provider: "acme", baseUrl, headers: ["x-api-key", "k"], keySetting: "ACME_ADMIN_KEY" }, seen);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const json = (response: ServerResponse, text: string, status = 200) => {
  response.writeHead(status, { "content-type": "application/json", "retry-after": "0" }).end(text);
};
const days = { first: "2026-11-22", last: "2026-11-23" };
const never = new AbortController().signal;
const start = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1_000;
const openAiPage = (day: string, results: string, next: string | null = null) =>
  `{"object":"page","data":[{"start_time":${start(day)},"results":[${results}]}],"has_more":${next !== null},"next_page":${JSON.stringify(next)}}`;

test("OpenAI: splits usage into disjoint units and drops the snapshot's date", async () => {
  const completions =
    '{"model":"gpt-4o-2024-08-06","input_tokens":1000,"output_tokens":50,"input_cached_tokens":600,"input_cache_write_tokens":100,"input_audio_tokens":20,"output_audio_tokens":5,"num_model_requests":3}';
  const api: Handle = (url, response) =>
    json(response, openAiPage("2026-11-22", url.pathname.endsWith("/completions") ? completions : ""));
  await withApi(api, async (access, seen) => {
    const found = await openAiReports(access, "proj_1").usage(days, never);
    assert.deepEqual([...found.keys()], ["2026-11-22"]);
    const [row] = found.get("2026-11-22") ?? [];
    assert.equal(row?.model, "gpt-4o");
    assert.deepEqual(Object.fromEntries(row?.units ?? []), {
      input_tokens: 280n,
      cached_input_tokens: 600n,
      cache_write_5m_tokens: 100n,
      audio_input_tokens: 20n,
      output_tokens: 45n,
      audio_output_tokens: 5n,
    });
    assert.equal(seen[0]?.searchParams.get("project_ids[]"), "proj_1");
    assert.equal(dayOf(Number(seen[0]?.searchParams.get("end_time")) * 1_000), "2026-11-24");
  });
});

test("OpenAI: a day that one endpoint leaves out is unknown", async () => {
  const api: Handle = (url, response) =>
    json(response, openAiPage(url.pathname.endsWith("/images") ? "2026-11-23" : "2026-11-22", ""));
  await withApi(api, async (access) => {
    assert.equal((await openAiReports(access, undefined).usage(days, never)).size, 0);
  });
});

test("OpenAI: reads costs digit by digit, across pages", async () => {
  const line = (value: string, name: string) =>
    `{"amount":{"value":${value},"currency":"usd"},"line_item":${JSON.stringify(name)}}`;
  const first = `${line("0.1234567890123456789", "gpt-4o-2024-08-06, input_tokens")},${line("6.2e-05", "Web search")}`;
  const api: Handle = (url, response) =>
    json(
      response,
      url.searchParams.get("page") === null
        ? openAiPage("2026-11-22", first, "next")
        : openAiPage("2026-11-22", line('"1.5"', "gpt-4o-2024-08-06, output_tokens")),
    );
  await withApi(api, async (access) => {
    assert.deepEqual((await openAiReports(access, undefined).costs(days, never)).get("2026-11-22"), [
      { model: "gpt-4o", attoUsd: 123_456_789_012_345_679n },
      { model: undefined, attoUsd: 62_000_000_000_000n },
      { model: "gpt-4o", attoUsd: 1_500_000_000_000_000_000n },
    ]);
  });
});

test("Anthropic: reads amounts in cents, and keeps only the workspace's", async () => {
  const row = (amount: string, workspace: string) =>
    `{"amount":"${amount}","currency":"USD","model":"claude-haiku-4-5-20251001","workspace_id":"${workspace}"}`;
  const body = `{"data":[{"starting_at":"2026-11-22T00:00:00Z","results":[${row("123.45", "a")},${row("9", "b")}]}],"has_more":false,"next_page":null}`;
  await withApi(
    (_, response) => json(response, body),
    async (access) => {
      const found = await anthropicReports(access, "a").costs(days, never);
      assert.deepEqual(found.get("2026-11-22"), [{ model: "claude-haiku-4-5", attoUsd: 1_234_500_000_000_000_000n }]);
    },
  );
});

test("retries a rate limit, and reports an error that persists", async () => {
  let calls = 0;
  const limited: Handle = (_, response) =>
    ++calls === 1 ? json(response, "{}", 429) : json(response, openAiPage("2026-11-22", ""));
  await withApi(limited, async (access) => {
    assert.equal((await openAiReports(access, undefined).costs(days, never)).size, 1);
    assert.equal(calls, 2);
  });
  calls = 0;
  await withApi(
    (_, response) => {
      calls++;
      json(response, "{}", 500);
    },
    async (access) => {
      await assert.rejects(openAiReports(access, undefined).costs(days, never), /acme returned status 500/);
      assert.equal(calls, 3);
    },
  );
});

test("names the setting to change when the admin key is refused", async () => {
  for (const status of [401, 403])
    await withApi(
      (_, response) => json(response, "{}", status),
      async (access, seen) => {
        await assert.rejects(openAiReports(access, undefined).costs(days, never), /Set ACME_ADMIN_KEY to an admin key/);
        assert.equal(seen.length, 1);
      },
    );
});

test("rejects a report that is not JSON, has another form, is too long, or never ends", async () => {
  const ends =
    (text: string): Handle =>
    (_, response) =>
      json(response, text);
  const cases: [Handle, RegExp][] = [
    [ends("<html>"), /not JSON/],
    [ends('{"data":[{"start_time":"x","results":[]}],"has_more":false}'), /documented form/],
    [ends('{"data":[],"has_more":true,"next_page":null}'), /next_page is missing or repeated/],
    [ends(openAiPage("2026-11-22", '{"amount":{"value":1,"currency":"eur"}}')), /not in USD: 1 eur/],
    [(_, response) => json(response, `"${"x".repeat(17 * 1024 * 1024)}"`), /longer than/],
    [
      (url, response) =>
        json(response, `{"data":[],"has_more":true,"next_page":"${Number(url.searchParams.get("page") ?? 0) + 1}"}`),
      /more than 200 pages/,
    ],
  ];
  for (const [handle, expected] of cases)
    await withApi(handle, async (access) => {
      const failed = openAiReports(access, undefined).costs(days, never);
      await assert.rejects(failed, (error) => error instanceof ReportError && expected.test(error.message));
    });
});
