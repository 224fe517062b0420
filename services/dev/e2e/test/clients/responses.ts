import assert from "node:assert/strict";
import { test } from "node:test";
import type { SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { templateOf } from "@uag/router/openapi/document";
import { examples } from "@uag/router/openapi/examples/examples";
import { tone } from "@uag/router/openapi/examples/tone";
import { allRoutes, nameOf, routesOf } from "@uag/router/openapi/routes";
import sharp from "sharp";
import { type Documented, documented } from "./documented.ts";
import { goodBodies } from "./nulls.ts";

type Json = Readonly<Record<string, unknown>>;

interface Sent {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly key?: string;
}

type Send = (method: string, template: string, sent?: Sent) => Promise<Json>;

/** Sends requests and compares every response with the documents. */
function sender(fleet: SharedFleet, against: Documented): Send {
  const { base_url, api_key, admin } = fleet.run;
  return async (method, template, { path = {}, query = "", body, key } = {}) => {
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? "");
    const token = key ?? (template.startsWith("/admin") ? admin.token : api_key);
    const isForm = body instanceof FormData;
    const response = await fetch(`${base_url}${filled}${query}`, {
      method,
      headers: {
        ...(token !== "" && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: isForm || typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    against.check(method, template, { status: response.status, type, text });
    return type.startsWith("application/json") ? (JSON.parse(text) as Json) : {};
  };
}

const idOf = (response: Json): string => String(response["id"]);
const video = {
  model: "beta2.6-t2v",
  duration: 5,
  resolution: "720p",
  input: { prompt: "a cat" },
  parameters: { duration: 5 },
};

async function edit(send: Send): Promise<void> {
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const body = new FormData();
  body.set("model", "gamma-image-1");
  body.set("prompt", "a cat");
  body.set("image", new Blob([new Uint8Array(png)], { type: "image/png" }), "a.png");
  await send("POST", "/v1/estimate/images/edits", { body });
  await send("POST", "/v1/images/edits", { body });
}

async function transcribe(send: Send): Promise<void> {
  for (const format of ["json", "verbose_json", "text", "srt", "vtt"]) {
    const body = new FormData();
    body.set("model", "whisper-1");
    body.set("response_format", format);
    for (const granularity of format === "verbose_json" ? ["word", "segment"] : [])
      body.append("timestamp_granularities[]", granularity);
    body.set("file", new Blob([new Uint8Array(tone())], { type: "audio/wav" }), "a.wav");
    await send("POST", "/v1/audio/transcriptions", { body });
    await send("POST", "/v1/estimate/audio/transcriptions", { body });
    body.delete("timestamp_granularities[]");
    await send("POST", "/v1/audio/translations", { body });
    await send("POST", "/v1/estimate/audio/translations", { body });
  }
}

/** The reference's examples, except streams, and tasks, whose calls depend on one another. */
async function shown(send: Send): Promise<void> {
  for (const { operation, body, query } of examples) {
    for (const { path, method, body: kind } of routesOf.public.filter((route) => nameOf(route) === operation)) {
      const isAlone = !/:|\/videos\/|\/files$/.test(path) && body?.["stream"] !== true;
      if (!isAlone || (kind === "json" ? body === undefined : method !== "GET")) continue;
      const search = new URLSearchParams((query ?? {}) as Record<string, string>);
      await send(method, templateOf(path), { body, query: `?${search}` });
    }
  }
}

async function videos(send: Send, webhookUrl: string): Promise<void> {
  await send("POST", "/v1/estimate/videos/generations", { body: video });
  const path = {
    id: idOf(await send("POST", "/v1/videos/generations", { body: { ...video, webhook_url: webhookUrl } })),
  };
  const get = () => send("GET", "/v1/videos/generations/{id}", { path });
  await waitFor(async () => (await get())["status"] === "succeeded", { what: "the video" });
  await send("GET", "/v1/videos/generations");
  await send("DELETE", "/v1/videos/generations/{id}", {
    path: { id: idOf(await send("POST", "/v1/videos/generations", { body: video })) },
  });
}

async function files(send: Send): Promise<void> {
  const body = new FormData();
  body.set("purpose", "user_data");
  body.set("file", new Blob(["text"]), "a.txt");
  const path = { id: idOf(await send("POST", "/v1/files", { body })) };
  await send("GET", "/v1/files");
  await send("GET", "/v1/files/{id}", { path });
  await send("GET", "/v1/files/{id}/content", { path });
  await send("DELETE", "/v1/files/{id}", { path });
}

async function batches(send: Send): Promise<void> {
  const line = { method: "POST", url: "/v1/embeddings", body: { model: "text-embedding-v4", input: "a" } };
  const create = async (lines: number): Promise<string> => {
    const texts = Array.from({ length: lines }, (_, n) => JSON.stringify({ ...line, custom_id: String(n) }));
    const form = new FormData();
    form.set("purpose", "batch");
    form.set("file", new Blob([texts.join("\n")]), "a.jsonl");
    const inputFileId = idOf(await send("POST", "/v1/files", { body: form }));
    const body = { input_file_id: inputFileId, endpoint: line.url, completion_window: "24h" };
    return idOf(await send("POST", "/v1/batches", { body }));
  };
  const path = { id: await create(1) };
  const get = () => send("GET", "/v1/batches/{id}", { path });
  await waitFor(async () => (await get())["status"] === "completed", { what: "the batch" });
  await send("GET", "/v1/batches");
  await send("POST", "/v1/batches/{id}/cancel", { path: { id: await create(2_000) } });
}

async function messageBatches(send: Send): Promise<void> {
  const params = { model: "claude-sonnet-4-6", max_tokens: 9, messages: [{ role: "user", content: "Hello!" }] };
  const create = async (count: number): Promise<{ id: string }> => {
    const requests = Array.from({ length: count }, (_, n) => ({ custom_id: String(n), params }));
    return { id: idOf(await send("POST", "/v1/messages/batches", { body: { requests } })) };
  };
  const path = await create(1);
  const get = () => send("GET", "/v1/messages/batches/{id}", { path });
  await waitFor(async () => (await get())["processing_status"] === "ended", { what: "the batch of messages" });
  await send("GET", "/v1/messages/batches");
  await send("GET", "/v1/messages/batches/{id}/results", { path });
  await send("DELETE", "/v1/messages/batches/{id}", { path });
  await send("POST", "/v1/messages/batches/{id}/cancel", { path: await create(2_000) });
}

/** Stored responses, for an account that opts in. */
async function storedResponses(send: Send, account: string): Promise<void> {
  const patch = (storeResponses: boolean) =>
    send("PATCH", "/admin/v1/accounts/{id}", { path: { id: account }, body: { store_responses: storeResponses } });
  await patch(true);
  const body = { model: "gpt-4o-mini", input: "Hello!" };
  const created = await waitFor(async () => {
    const response = await send("POST", "/v1/responses", { body });
    return response["store"] === true && response;
  });
  const path = { id: idOf(created) };
  await send("POST", "/v1/responses", { body: { ...body, previous_response_id: path.id } });
  await send("GET", "/v1/responses/{id}", { path });
  await send("GET", "/v1/responses/{id}/input_items", { path });
  await send("DELETE", "/v1/responses/{id}", { path });
  const later = { id: idOf(await send("POST", "/v1/responses", { body: { ...body, background: true } })) };
  const get = () => send("GET", "/v1/responses/{id}", { path: later });
  await waitFor(async () => (await get())["status"] === "completed", { what: "the response in the background" });
  await send("POST", "/v1/responses/{id}/cancel", { path: later });
  await patch(false);
}

async function accounts(send: Send): Promise<void> {
  const path = { id: idOf(await send("POST", "/admin/v1/accounts", { body: { name: "documented" } })) };
  await send("GET", "/admin/v1/accounts");
  await send("GET", "/admin/v1/accounts/{id}", { path });
  await send("PATCH", "/admin/v1/accounts/{id}", { path, body: { name: "renamed", keep_answers: false } });
  await send("POST", "/admin/v1/accounts/{id}/top-ups", { path, body: { amount_usd: "5", reference: "documented" } });
  for (const what of ["ledger", "holds", "forecast", "invoices"])
    await send("GET", `/admin/v1/accounts/{id}/${what}`, { path });
  const month = new Date().toISOString().slice(0, 7);
  await send("GET", "/admin/v1/accounts/{id}/invoices/{month}", { path: { ...path, month } });
  const limits = {
    rpm_limit: 60,
    tpm_limit: 1_000,
    max_parallel_requests: 4,
    max_budget: 2.5,
    metadata: { team: "a" },
  };
  const key = { id: idOf(await send("POST", "/admin/v1/keys", { body: { account_id: path.id, ...limits } })) };
  await send("GET", "/admin/v1/keys", { query: `?account=${path.id}` });
  await send("GET", "/admin/v1/keys/{id}", { path: key });
  await send("GET", "/admin/v1/keys/{id}/use", { path: key });
  await send("PATCH", "/admin/v1/keys/{id}", { path: key, body: { key_alias: "renamed" } });
  await send("POST", "/admin/v1/keys/{id}/regenerate", { path: key, body: {} });
  await send("DELETE", "/admin/v1/keys/{id}", { path: key });
  await send("POST", "/admin/v1/keys", { body: { account_id: "nobody" } });
}

async function prices(send: Send): Promise<void> {
  const rates = { input_tokens: "0.4", output_tokens: "3.2" };
  const price = { provider: "openai", model: "gpt-4.1-mini", link: "https://openai.com/api/pricing", rates };
  await send("POST", "/admin/v1/prices/tables", {
    body: { name: "litellm", origin: "litellm 1.109.1", prices: [price] },
  });
  const [found] = (await send("GET", "/admin/v1/prices"))["models"] as Json[];
  const accepted = { model: found?.["model"], price_version: found?.["price_version"], from: "litellm" };
  await send("POST", "/admin/v1/prices", { body: accepted });
  await send("POST", "/admin/v1/prices", { body: { ...accepted, confirm: true } });
  await send("GET", "/admin/v1/prices");
}

async function providers(send: Send): Promise<void> {
  await send("GET", "/admin/v1/providers");
  const path = { id: "deepseek" };
  const { revision } = await send("GET", "/admin/v1/providers/{id}", { path });
  await send("PATCH", "/admin/v1/providers/{id}", { path, body: { revision, enabled: true } });
  await send("PATCH", "/admin/v1/providers/{id}", { path, body: { revision, base_url: "http://localhost" } });
  await send("GET", "/admin/v1/providers/{id}/models", { path });
  await send("POST", "/admin/v1/providers/{id}/test", { path, body: {} });
  await send("GET", "/admin/v1/catalog");
  const created = await send("POST", "/admin/v1/providers/{id}/credentials", {
    path,
    body: { api_key: "sk-0123456789abcdef", enabled: false },
  });
  const credential = { ...path, credential: idOf(created) };
  const change = { revision: created["revision"], enabled: false };
  await send("PATCH", "/admin/v1/providers/{id}/credentials/{credential}", { path: credential, body: change });
  await send("DELETE", "/admin/v1/providers/{id}/credentials/{credential}", { path: credential });
  await addedProvider(send);
}

async function addedProvider(send: Send): Promise<void> {
  await send("GET", "/admin/v1/provider-templates");
  const path = { id: "mistral" };
  await send("POST", "/admin/v1/providers", { body: { ...path, template: "mistral", enabled: false } });
  await send("POST", "/admin/v1/providers", { body: { ...path, template: "nothing" } });
  const fields = { operations: ["chat.completions"], context_tokens: 1_000, max_output_tokens: 100 };
  const upstreams = [{ provider: "mistral", model: "large" }];
  const body = { id: "mistral/large", ...fields, price: { input_tokens: 1, output_tokens: 2 }, upstreams };
  const { revision } = await send("POST", "/admin/v1/models", { body });
  await send("POST", "/admin/v1/models", { body: { ...body, id: "mistral/other", price: {} } });
  const model = { model: encodeURIComponent("mistral/large") };
  await send("GET", "/admin/v1/models/{model}", { path: model });
  await send("PATCH", "/admin/v1/models/{model}", { path: model, body: { revision, enabled: false } });
  await send("DELETE", "/admin/v1/models/{model}", { path: model });
  await send("DELETE", "/admin/v1/providers/{id}", { path });
}

async function books(send: Send, account: string): Promise<void> {
  const query = `?account=${account}`;
  const event = await waitFor(
    async () => {
      const { data } = await send("GET", "/admin/v1/usage/events", { query });
      return (data as Json[])[0];
    },
    { what: "usage events" },
  );
  const path = { id: String(event["request_id"]) };
  await send("GET", "/admin/v1/usage/events/{id}", { path });
  await send("GET", "/v1/receipts/{id}", { path });
  await send("GET", "/admin/v1/reconciliations", { query: "?provider=openai" });
  await prices(send);
  await providers(send);
  await send("GET", "/admin/v1/usage/series", { query: `${query}&bucket=hour&group_by=model` });
  for (const held of ["holds", "invoices", "message-budgets"])
    await send("GET", `/admin/v1/accounts/{id}/${held}`, { path: { id: account } });
  for (const path of ["/admin/v1/usage", "/admin/v1/usage/export", "/admin/v1/ledger"])
    await send("GET", path, { query });
  await send("POST", "/admin/v1/ledger/repair", { body: { all: true, dry_run: true } });
  for (const what of ["audit-log", "models", "fleet"]) await send("GET", `/admin/v1/${what}`);
  const token = {
    id: idOf(await send("POST", "/admin/v1/tokens", { body: { name: "documented", role: "read-only" } })),
  };
  await send("GET", "/admin/v1/tokens");
  await send("DELETE", "/admin/v1/tokens/{id}", { path: token });
}

async function webhooks(send: Send, account: string): Promise<void> {
  const body = { account_id: account };
  const secret = { id: idOf(await send("POST", "/admin/v1/webhooks/secrets", { body })) };
  // One signing secret must remain.
  await send("POST", "/admin/v1/webhooks/secrets", { body });
  await send("GET", "/admin/v1/webhooks/secrets", { query: `?account=${account}` });
  const delivered = await waitFor(
    async () => ((await send("GET", "/admin/v1/webhooks/deliveries"))["data"] as Json[])[0],
    { what: "a delivery" },
  );
  const path = { id: idOf(delivered) };
  await send("GET", "/admin/v1/webhooks/deliveries/{id}", { path });
  await send("POST", "/admin/v1/webhooks/deliveries/{id}/replay", { path });
  await send("DELETE", "/admin/v1/webhooks/secrets/{id}", { path: secret });
}

async function alerts(send: Send, account: string): Promise<void> {
  const body = { account_id: account, monthly_usd: "500", webhook_url: "https://example.com/hooks/spending" };
  const path = { id: idOf(await send("POST", "/admin/v1/alerts", { body })) };
  const low = { account_id: account, kind: "balance", below_usd: "20", webhook_url: body.webhook_url };
  await send("POST", "/admin/v1/alerts", { body: low });
  await send("GET", "/admin/v1/alerts", { query: `?account=${account}` });
  await send("PATCH", "/admin/v1/alerts/{id}", { path, body: { thresholds: [25] } });
  await send("POST", "/admin/v1/alerts/{id}/test", { path });
  await send("DELETE", "/admin/v1/alerts/{id}", { path });
}

async function budgets(send: Send, account: string): Promise<void> {
  const body = { account_id: account, name: "Research", max_budget: "5", period: "day" };
  const endUsers = { max_budget: "1", rpm_limit: 5, required: true };
  const path = { id: idOf(await send("POST", "/admin/v1/budgets", { body: { ...body, end_users: endUsers } })) };
  await send("POST", "/admin/v1/budgets", { body: { ...body, parent_id: path.id, period: "total", hard: false } });
  const { data } = await send("GET", "/admin/v1/budgets", { query: `?account=${account}` });
  await send("GET", "/admin/v1/budgets/{id}", { path });
  await send("GET", "/admin/v1/budgets/{id}/end-users", { path, query: "?end_user=alice" });
  await send("PATCH", "/admin/v1/budgets/{id}", { path, body: { max_budget: "6" } });
  for (const budget of (data as Json[]).toReversed())
    await send("DELETE", "/admin/v1/budgets/{id}", { path: { id: idOf(budget) } });
}

async function envelopes(send: Send): Promise<void> {
  const body = { max_usd: "0.5", ttl: 600, models: ["gpt-4o-mini"], name: "documented" };
  const opened = await send("POST", "/v1/envelopes", { body });
  const path = { id: idOf(opened) };
  const key = String(opened["key"]);
  await send("POST", "/v1/envelopes", { body: { max_usd: 0.1, ttl: 60 }, key });
  await send("GET", "/v1/envelopes");
  await send("GET", "/v1/envelopes/{id}", { path });
  const chat = { model: "gpt-4o-mini", messages: [{ role: "user", content: "say: hello" }], max_tokens: 16_000 };
  await send("POST", "/v1/chat/completions", { body: { ...chat, n: 100 }, key });
  await send("POST", "/v1/envelopes/{id}/close", { path });
  await send("GET", "/v1/envelopes/{id}", { path: { id: "none" } });
  await send("GET", "/admin/v1/envelopes", { query: "?state=ended" });
  await send("GET", "/admin/v1/envelopes/{id}", { path });
  await send("POST", "/admin/v1/envelopes/{id}/close", { path });
  await send("POST", "/v1/envelopes", { body: { ttl: 60 } });
}

/** Gemini's format, whose paths name the model and the method. */
async function generate(send: Send): Promise<void> {
  const body = { contents: [{ role: "user", parts: [{ text: "say: hello" }] }] };
  const methods = ["generateContent", "streamGenerateContent"];
  for (const model of ["gemini-2.5-flash", "gemini-3-flash-preview", "claude-haiku-4-5", "gpt-4o-mini"])
    for (const version of ["v1beta", "v1", "v1/estimate"])
      for (const method of methods)
        await send("POST", `/${version}/models/{model}:${method}`, { path: { model }, body });
  await send("POST", "/v1/models/{model}:generateContent", { path: { model: "none" }, body });
  await send("POST", "/v1beta/models/{model}:generateContent", { path: { model: "gpt-4o-mini" }, body: {} });
  for (const version of ["v1beta", "v1"])
    await send("POST", `/${version}/models/{model}:countTokens`, { path: { model: "gpt-4o-mini" }, body });
  await send("GET", "/v1beta/models");
  for (const model of ["gpt-4o-mini", "none"]) await send("GET", "/v1beta/models/{model}", { path: { model } });
}

/** Embeddings in Gemini's format. */
async function embed(send: Send): Promise<void> {
  const body = { content: { parts: [{ text: "A boat on a lake" }] } };
  for (const model of ["gemini-embedding-001", "text-embedding-3-small", "voyage-4-lite"])
    for (const version of ["v1beta", "v1", "v1/estimate"]) {
      await send("POST", `/${version}/models/{model}:embedContent`, { path: { model }, body });
      await send("POST", `/${version}/models/{model}:batchEmbedContents`, {
        path: { model },
        body: { requests: [body, body] },
      });
    }
  await send("POST", "/v1/models/{model}:embedContent", { path: { model: "gpt-4o-mini" }, body });
  await send("POST", "/v1beta/models/{model}:batchEmbedContents", { path: { model: "voyage-4-lite" }, body });
}

async function refusals(send: Send): Promise<void> {
  const alpha = { model: "alpha-image-2.0", input: { messages: [] } };
  await send("POST", "/v1/chat/completions", { body: {} });
  await send("POST", "/v1/chat/completions", { body: "{" });
  await send("POST", "/v1/chat/completions", { body: { model: "none", messages: [] } });
  await send("POST", "/v1/messages", { body: { model: "none", max_tokens: 1, messages: [] } });
  await send("POST", "/v1/images/generations", { body: alpha });
  await send("GET", "/v1/models", { key: "sk-wrong" });
  await send("GET", "/v1/models/{id}", { path: { id: "none" } });
  await send("GET", "/v1/videos/generations/{id}", { path: { id: "none" } });
  await send("GET", "/admin/v1/accounts/{id}", { path: { id: "none" } });
  await send("GET", "/admin/v1/accounts", { query: "?limit=0" });
  await send("GET", "/admin/v1/refusals");
  await send("GET", "/admin/v1/refusals/series", { query: "?bucket=hour&group_by=reason" });
}

/** Streams of each kind, whose events have schemas of their own. */
async function streams(fleet: SharedFleet, against: Documented): Promise<void> {
  const messages = [{ role: "user", content: "say: hello" }];
  const received: [path: string, schema: string, body: object][] = [
    [
      "/v1/chat/completions",
      "ChatCompletionChunk",
      { model: "gpt-4o-mini", messages, stream_options: { include_usage: true } },
    ],
    ["/v1/chat/completions", "ChatCompletionChunk", { model: "claude-haiku-4-5", messages }],
    ["/v1/responses", "ResponseEvent", { model: "gpt-4o-mini", input: "say: hello" }],
    ["/v1/responses", "ResponseEvent", { model: "claude-sonnet-4-6", input: "hello", reasoning: { effort: "low" } }],
    ["/v1/messages", "MessageEvent", { model: "claude-haiku-4-5", messages, max_tokens: 50 }],
    ["/v1/messages", "MessageEvent", { model: "gpt-4o-mini", messages, max_tokens: 50 }],
    ...["gemini-2.5-flash", "claude-haiku-4-5"].map(
      (model) =>
        [
          `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
          "GenerateContentResponse",
          { contents: [{ parts: [{ text: "say: hello" }] }] },
        ] as [string, string, object],
    ),
    ["/v1/images/generations", "ImageEvent", { model: "gamma-image-1", prompt: "a cat", partial_images: 1 }],
  ];
  for (const [path, schema, body] of received) {
    const { events } = await fleet.client.stream(path, { ...body, stream: true });
    for await (const { data } of events) if (data !== "[DONE]") against.checkEvent(schema, data);
  }
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: "gpt-4o-transcribe", stream: "true", "include[]": "logprobs" }))
    form.set(name, value);
  form.set("file", new Blob([new Uint8Array(tone())], { type: "audio/wav" }), "a.wav");
  const sent = new Response(form);
  const headers = { "content-type": sent.headers.get("content-type") ?? "" };
  const body = Buffer.from(await sent.arrayBuffer());
  const { events } = await fleet.client.stream("/v1/audio/transcriptions", body, { headers });
  for await (const { data } of events) against.checkEvent("TranscriptEvent", data);
}

/** Compares real responses of every route with the documents. */
export function responseTests(here: () => { readonly fleet: SharedFleet; readonly webhookUrl: string }): void {
  test("every route responds as documented, without unlisted fields", async () => {
    const { fleet, webhookUrl } = here();
    const { account_id: account } = fleet.run;
    const against = documented();
    const send = sender(fleet, against);
    for (const [template, , body] of goodBodies)
      if (!/^\/admin|:/.test(template))
        await send("POST", template, { body: { ...body, stream: undefined, stream_options: undefined } });
    await send("POST", "/v1/embeddings", {
      body: { model: "text-embedding-v4", input: ["a", "b"], encoding_format: "base64" },
    });
    await shown(send);
    await generate(send);
    await embed(send);
    await edit(send);
    await transcribe(send);
    await videos(send, webhookUrl);
    await files(send);
    await batches(send);
    await messageBatches(send);
    const { data } = await send("GET", "/v1/models");
    await send("GET", "/v1/models/{id}", { path: { id: idOf((data as Json[])[0] ?? {}) } });
    await storedResponses(send, account);
    await accounts(send);
    await books(send, account);
    await webhooks(send, account);
    await alerts(send, account);
    await budgets(send, account);
    await envelopes(send);
    await refusals(send);
    await streams(fleet, against);
    assert.deepEqual([...against.problems], []);
    const all = allRoutes.map(({ method, path }) => `${method} ${templateOf(path)}`);
    assert.deepEqual(
      all.filter((route) => !against.seen.has(route)),
      [],
    );
  });
}
