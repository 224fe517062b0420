import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import { startCollector } from "@uag/harness/fleet/collector";
import { type Exposition, readMetrics } from "@uag/harness/fleet/metrics";
import { type TestFleet, withFleet } from "@uag/harness/fleet/with-fleet";
import { repoRoot } from "@uag/local/paths";
import { MongoClient } from "mongodb";
import { faultsOfMetrics } from "./metrics-table.ts";

/** The prefix of every planted text, so that one search finds any of them. */
const mark = `canary${randomBytes(8).toString("hex")}`;
const planted = new Set<string>();

function plant(): string {
  const text = `${mark}${randomBytes(12).toString("hex")}`;
  planted.add(text);
  return text;
}

/** Credentials, which no response may contain, not even one to the client that sent them. */
const secrets = new Set<string>();

function plantSecret(): string {
  const text = plant();
  secrets.add(text);
  return text;
}

const user = (content: string) => [{ role: "user", content }];

/** Requests with planted texts wherever a client's content and secrets may be. */
const requests: readonly (() => [path: string, body: object, headers: Record<string, string>])[] = [
  () => [
    "/v1/chat/completions",
    { model: "gpt-4o-mini", messages: [{ role: "system", content: plant() }, ...user(plant())], user: plant() },
    { "idempotency-key": plant(), cookie: plantSecret() },
  ],
  () => [
    "/v1/chat/completions",
    { model: "claude-sonnet-4-6", messages: user(plant()), stream: true, metadata: { about: plant() } },
    { "user-agent": plant(), "x-api-key": plantSecret() },
  ],
  () => [
    "/v1/messages",
    { model: "gemini-2.5-flash", max_tokens: 50, system: plant(), messages: user(plant()) },
    { "x-forwarded-for": plant() },
  ],
  () => ["/v1/embeddings", { model: "text-embedding-3-small", input: [plant(), plant()] }, {}],
  () => ["/v1/audio/speech", { model: "alpha3-tts-flash", input: plant(), instructions: plant() }, {}],
  // Rejected requests contain text too, and are logged in more places.
  () => ["/v1/chat/completions", { model: plant(), messages: user(plant()) }, {}],
  () => ["/v1/chat/completions", { model: "gpt-4o-mini", messages: plant() }, {}],
  () => [`/v1/chat/completions?key=${plantSecret()}`, { model: "gpt-4o-mini", messages: user(plant()) }, {}],
  () => [
    "/v1/chat/completions",
    { model: "gpt-4o-mini", messages: user(plant()) },
    { authorization: `Bearer ${plantSecret()}` },
  ],
  () => ["/admin/v1/keys", { account_id: "nobody" }, { authorization: `Bearer ${plantSecret()}` }],
  () => ["/mcp", { jsonrpc: "2.0", id: 1, method: plant() }, {}],
];

const rounds = 60;

/** Texts that are stored by design, with their places, which prove that the search works. */
async function keepControls({ client, run }: TestFleet): Promise<readonly (readonly [place: string, text: string])[]> {
  const name = `control${randomBytes(8).toString("hex")}`;
  const missing = await client.get("/no-such-path");
  assert.equal(missing.status, 404);
  const requestId = missing.headers.get("x-request-id") ?? assert.fail("the response has no request id");
  const headers = { authorization: `Bearer ${run.admin.token}` };
  assert.equal((await client.post("/admin/v1/accounts", { name }, { headers })).status, 201);
  return [
    ["router.log", requestId],
    ["billing.", name],
  ];
}

async function providerNames(): Promise<Set<string>> {
  const catalog = await readFile(join(repoRoot, "infra/config/catalog.yaml"), "utf8");
  return new Set(providerEnvironments(catalog).map(({ name }) => name));
}

/** Sends all requests and returns their responses' bodies and headers. */
async function sendAll({ client }: TestFleet): Promise<string[]> {
  const responses: string[] = [];
  for (let round = 0; round < rounds; round++)
    await Promise.all(
      requests.map(async (make) => {
        const [path, body, headers] = make();
        const { text, headers: sent } = await client.post(path, body, { headers });
        responses.push(text, JSON.stringify([...sent]));
      }),
    );
  return responses;
}

/** The processes' metrics once every bill is written and the books have been audited. */
async function metricsWithVerdict(fleet: TestFleet): Promise<Exposition[]> {
  for (let poll = 0; ; poll++) {
    const shown = await readMetrics(fleet);
    if (shown.some(({ types }) => types.has("uag_audit_exact"))) return shown;
    assert.ok(poll < 300, "the auditor has not reported yet");
    await sleep(200);
  }
}

/** Journals and streams may delete files at any time; deleted files are not searched. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

async function* filesIn(dir: string): AsyncGenerator<[path: string, text: string]> {
  for (const entry of (await readdir(dir, { withFileTypes: true }).catch(unlessGone)) ?? []) {
    const path = join(dir, entry.name);
    // The simulator is a provider, which may see everything; the database's rows are read below.
    if (path.includes("/mongo") || path.includes("simulator")) continue;
    if (entry.isDirectory()) yield* filesIn(path);
    const text = entry.isFile() ? await readFile(path, "latin1").catch(unlessGone) : undefined;
    if (text !== undefined) yield [path, text];
  }
}

/** A refusal keeps the name of the requested model, so that people see which one does not exist. */
const unknownModel = /(?<=There is no model ')[^']{1,300}(?=')/g;

/** Every stored text, with its place. */
async function* kept({ run, dataDir }: TestFleet): AsyncGenerator<[place: string, text: string]> {
  yield* filesIn(dataDir);
  await using database = await MongoClient.connect(run.mongodb_url);
  for (const { name } of (await database.db("admin").admin().listDatabases()).databases) {
    // The engine's own databases, some of which are not readable by any user.
    if (name === "local" || name === "admin" || name === "config") continue;
    for (const collection of await database.db(name).collections())
      for await (const row of collection.find())
        yield [`${name}.${collection.collectionName}`, JSON.stringify(row).replaceAll(unknownModel, "")];
  }
}

test(`after ${rounds} rounds of requests no client's content or credential is in logs, traces, metrics, journals, streams or databases, no credential is in a response, and every metric matches its table`, async () => {
  await using collector = await startCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ACCESS_LOG: "all", AUDIT_FIRST_MS: "1000" };
  await withFleet({ env }, async (fleet) => {
    // This runs first: after the test's guesses of admin tokens, even the right one is refused for
    // a while.
    const controls = await keepControls(fleet);
    const responses = await sendAll(fleet);
    assert.ok(planted.size >= 1_000, `${planted.size} texts`);
    assert.deepEqual((await fleet.audit()).violations, []);
    const metrics = await metricsWithVerdict(fleet);
    assert.deepEqual(faultsOfMetrics(metrics, await providerNames()), []);
    const containing = responses.filter((text) => text.includes(mark));
    assert.ok(containing.length > 0, "some response contains the client's content");
    assert.deepEqual(
      containing.filter((text) => [...secrets].some((secret) => text.includes(secret))),
      [],
    );
    const seen = new Set<string>();
    const found = new Set<string>();
    let texts = 0;
    for await (const [place, text] of kept(fleet)) {
      texts++;
      for (const [at, control] of controls) if (place.includes(at) && text.includes(control)) seen.add(control);
      const at = text.indexOf(mark);
      if (at >= 0) found.add(`${place}: ${text.slice(Math.max(0, at - 80), at + 20)}`);
    }
    for (const { process, text } of metrics) if (text.includes(mark)) found.add(`metrics of ${process}`);
    for (const body of collector.bodies) if (body.includes(mark)) found.add(`traces: ${body.slice(0, 200)}`);
    assert.ok(texts > 1_000 && collector.spans.length > 100, `${texts} texts, ${collector.spans.length} spans`);
    assert.equal(seen.size, controls.length, "every text stored by design is found");
    assert.deepEqual([...found], []);
  });
});
