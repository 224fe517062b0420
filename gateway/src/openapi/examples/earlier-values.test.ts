import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import { withEarlierValues } from "./earlier-values.ts";
import type { Json, Recorded } from "./types.ts";

const now = Date.now();
const dayMs = 86_400_000;
const text = (value: unknown): string => JSON.stringify(value);
const id = (prefix: string): string =>
  `${prefix}_0V${randomBytes(20).toString("base64url").replaceAll(/[-_]/g, "x").slice(0, 20)}`;

/** Base64 in a request, with a run that looks like an identifier. */
const audio = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAAC/0e1f9a8b7c6d5e4f3a2b1c0d/AA==";
const catalogDates = { created: 1_721_260_800, created_at: "2024-07-18T00:00:00.000Z" };

const example = (operation: string, value: unknown, sent: Partial<Recorded> = {}): Recorded => ({
  operation,
  name: "one",
  summary: "One",
  ...sent,
  response: { status: 200, type: "application/json", value },
});

/** A recording that began at a time, with identifiers of its own. */
function recordAt(startedAt: number): Recorded[] {
  const [account, request, receipt, task] = [id("acct"), id("req"), id("req"), randomUUID()];
  const at = (offset: number): string => new Date(startedAt + offset).toISOString();
  const shownKey = `sk-${randomBytes(3).toString("hex").slice(0, 5)}…`;
  const stream = `data: {"id":"${request}","created":${Math.floor(startedAt / 1_000)}}\n\ndata: [DONE]\n\n`;
  const cursor = Buffer.from(`${startedAt} ${request}`).toString("base64url");
  return [
    example("accounts.create", {
      id: account,
      created_at: at(3),
      hint: `…${id("").slice(-4)}`,
      curl: `curl ${shownKey}`,
    }),
    example("receipt", { id: receipt, account }, { path: { id: receipt } }),
    example("accounts.get", { id: account, seq: startedAt * 1_000 + 417 }, { path: { id: account } }),
    example("chat", stream, { body: { audio } }),
    example("models", { id: "gpt-4o-mini-2024-07-18", ...catalogDates }),
    example("videos", {
      id: `cgt-${at(0).replaceAll(/\D/g, "").slice(0, 14)}-${String(startedAt % 89).padStart(5, "0")}`,
      task,
      duration_ms: startedAt % 97,
      latency_ms: { count: startedAt % 83, p50: startedAt % 79 },
      catalog_version: randomBytes(6).toString("hex"),
      jws: randomBytes(40).toString("base64url"),
    }),
    example(
      "usage",
      { day: at(0).slice(0, 10), month: at(0).slice(0, 7), next_cursor: cursor, cost_nano_usd: 1_795_463_648 },
      {
        query: { start_date: at(-dayMs).slice(0, 10) },
      },
    ),
  ];
}

const earlier = recordAt(now - 100 * dayMs - 1_234);
const again = (recorded: readonly Recorded[]): Recorded[] => withEarlierValues(recorded, { earlier, startedAt: now });
const shownOf = (recorded: readonly Recorded[], operation: string): Json =>
  recorded.find((one) => one.operation === operation)?.response.value as Json;

test("recording the same examples again changes nothing", () => {
  assert.equal(text(again(recordAt(now))), text(earlier));
});

test("a field that the API added, removed or changed is all that a new recording changes", () => {
  const recorded = recordAt(now);
  const { id: account, ...rest } = shownOf(recorded, "accounts.create");
  const { curl: _, ...fields } = rest;
  recorded[0] = example("accounts.create", { id: account, ...fields, name: "Research", cost_nano_usd: 1_795_463_649 });
  const { curl: __, ...before } = shownOf(earlier, "accounts.create");
  assert.deepEqual(shownOf(again(recorded), "accounts.create"), {
    ...before,
    name: "Research",
    cost_nano_usd: 1_795_463_649,
  });
  assert.equal(text(again(recorded).slice(1)), text(earlier.slice(1)));
});

test("a new example shows the identifiers that the earlier recording has for its objects", () => {
  const recorded = recordAt(now);
  const { id: account } = shownOf(recorded, "accounts.create");
  recorded.push(example("accounts.delete", `deleted ${account}`, { path: { id: String(account) } }));
  const [created, deleted] = [shownOf(again(recorded), "accounts.create"), again(recorded).at(-1)];
  assert.deepEqual(deleted?.path, { id: created["id"] });
  assert.equal(deleted?.response.value, `deleted ${created["id"]}`);
});

test("a response with the identifier of another object is shown with that identifier", () => {
  const recorded = recordAt(now);
  const [{ id: account }, { request }] = [shownOf(recorded, "accounts.create"), { request: id("req") }];
  recorded[2] = example("accounts.get", { id: request, seq: 1 }, { path: { id: String(account) } });
  recorded[3] = example("chat", { id: account });
  const shown = again(recorded);
  assert.equal(shownOf(shown, "chat")["id"], shownOf(earlier, "accounts.create")["id"]);
});

test("two objects keep two identifiers where one is shown in the place of the other", () => {
  const recorded = recordAt(now);
  const { id: account } = shownOf(recorded, "accounts.create");
  const added = id("acct");
  recorded.splice(1, 1, example("receipt", { id: added, account }));
  recorded.unshift(example("accounts.create", { id: added }));
  const shown = again(recorded);
  const { id: first, account: second } = shownOf(shown, "receipt");
  assert.equal(shown[0]?.response.value && shownOf(shown, "accounts.create")["id"], first);
  assert.notEqual(first, second);
});

test("dates of the catalogue and data in requests are shown as they are recorded", () => {
  const recorded = recordAt(now);
  const dates = { created: 1_721_260_801, created_at: "2024-07-19T00:00:00.000Z" };
  recorded[3] = example("chat", "", { body: { audio: audio.toUpperCase() } });
  recorded[4] = example("models", { id: "gpt-4o-mini-2024-07-19", ...dates });
  const shown = again(recorded);
  assert.deepEqual(shownOf(shown, "models"), { id: "gpt-4o-mini-2024-07-19", ...dates });
  assert.deepEqual(shown[3]?.body, { audio: audio.toUpperCase() });
});
