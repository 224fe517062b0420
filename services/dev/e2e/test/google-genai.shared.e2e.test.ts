import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { ApiError, type Content, FunctionCallingConfigMode, GoogleGenAI, Type } from "@google/genai";
import { setFault } from "@uag/harness/fleet/faults";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";

/** A model of each provider. */
const models = [
  "gemini-2.5-flash",
  "gemini-3-flash-preview",
  "claude-sonnet-4-6",
  "gpt-4o-mini",
  "qwen-plus",
  "grok-4.5",
];
/** An embedding model of each provider, and the size of its vectors. */
const embeddingModels = {
  "gemini-embedding-001": 3_072,
  "text-embedding-004": 768,
  "text-embedding-3-small": 1_536,
  "text-embedding-v4": 1_024,
  "voyage-4-lite": 1_024,
};
const city = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ["city"] };
const tools = [{ functionDeclarations: [{ name: "get_weather", parameters: city }] }];
const callTwice = 'call get_weather {"city":"Oslo"}\ncall get_weather {"city":"Rome"}';
const user = (text: string): Content => ({ role: "user", parts: [{ text }] });

describe("Google's SDK works unchanged with every provider's models", () => {
  let fleet: SharedFleet;
  let google: GoogleGenAI;

  const clientOf = (apiKey: string, apiVersion?: string): GoogleGenAI =>
    new GoogleGenAI({
      apiKey,
      ...(apiVersion !== undefined && { apiVersion }),
      httpOptions: { baseUrl: fleet.run.base_url, retryOptions: { attempts: 1 } },
    });

  before(async () => {
    fleet = await openSharedFleet();
    google = clientOf(fleet.run.api_key);
  });

  for (const model of models) {
    test(`${model}: text, a stream, JSON by a schema, and their usage`, async () => {
      const whole = await google.models.generateContent({ model, contents: "say: hello" });
      assert.equal(whole.text, "hello");
      const usage = whole.usageMetadata ?? assert.fail();
      assert.ok((usage.promptTokenCount ?? 0) > 0 && (usage.candidatesTokenCount ?? 0) > 0);

      const stream = await google.models.generateContentStream({ model, contents: "repeat 20 words" });
      let text = "";
      let chunks = 0;
      let last: typeof whole | undefined;
      for await (const chunk of stream) {
        text += chunk.text ?? "";
        chunks++;
        last = chunk;
      }
      assert.equal(text.trim().split(" ").length, 20);
      assert.ok(chunks >= 3);
      assert.equal(last?.candidates?.[0]?.finishReason, "STOP");
      assert.ok((last?.usageMetadata?.totalTokenCount ?? 0) > 0);

      const responseSchema = { type: Type.OBJECT, properties: { name: { type: Type.STRING } }, required: ["name"] };
      const config = { responseMimeType: "application/json", responseSchema };
      const shaped = await google.models.generateContent({ model, contents: "a person", config });
      assert.equal(typeof JSON.parse(shaped.text ?? "").name, "string");
    });

    test(`${model}: parallel function calls, and a response to their results, streamed or not`, async () => {
      const config = { tools, toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } } };
      const contents = [user(callTwice)];
      const whole = await google.models.generateContent({ model, contents, config });
      assert.deepEqual(
        whole.functionCalls?.map(({ name, args }) => [name, args]),
        [
          ["get_weather", { city: "Oslo" }],
          ["get_weather", { city: "Rome" }],
        ],
      );
      const results = (whole.functionCalls ?? []).map(({ id, name }) => ({
        functionResponse: { ...(id !== undefined && { id }), name: name ?? "", response: { output: "sunny" } },
      }));
      const turn = whole.candidates?.[0]?.content ?? assert.fail();
      const after = [...contents, turn, { role: "user", parts: results }];
      const followUp = await google.models.generateContent({ model, contents: after, config });
      assert.equal(followUp.candidates?.[0]?.finishReason, "STOP");
      assert.equal(followUp.functionCalls, undefined);

      const parts: unknown[] = [];
      for await (const chunk of await google.models.generateContentStream({ model, contents, config }))
        parts.push(...(chunk.functionCalls ?? []));
      assert.equal(parts.length, 2);
    });

    test(`${model}: a token count`, async () => {
      const { totalTokens } = await google.models.countTokens({ model, contents: "hello world" });
      assert.ok((totalTokens ?? 0) > 0);
    });

    test(`${model}: a chat keeps its history over streamed turns`, async () => {
      const chat = google.chats.create({ model });
      for await (const _ of await chat.sendMessageStream({ message: "say: first" }));
      assert.equal((await chat.sendMessage({ message: "say: second" })).text, "second");
      const spoken = chat.getHistory().filter(({ role }) => role === "model");
      assert.equal(spoken.flatMap(({ parts = [] }) => parts.map(({ text = "" }) => text)).join(""), "firstsecond");
    });
  }

  for (const [model, size] of Object.entries(embeddingModels))
    test(`${model}: embeddings of several texts, with a task type, a title and a size`, async () => {
      const contents = ["A boat on a lake", "A ship at sea"];
      const { embeddings = [], usageMetadata } = await google.models.embedContent({ model, contents });
      assert.deepEqual(
        embeddings.map(({ values = [] }) => values.length),
        [size, size],
      );
      assert.notDeepEqual(embeddings[0], embeddings[1]);
      assert.ok((usageMetadata?.promptTokenCount ?? 0) > 0);
      const config = { taskType: "RETRIEVAL_DOCUMENT", title: "Boats", outputDimensionality: 256 };
      const shorter = await google.models.embedContent({ model, contents, config });
      assert.deepEqual(
        shorter.embeddings?.map(({ values = [] }) => values.length),
        [256, 256],
      );
      const one = await fleet.client.post(`/v1beta/models/${model}:embedContent`, {
        content: { parts: [{ text: contents[0] }] },
      });
      const { embedding } = JSON.parse(one.text) as { embedding: object };
      assert.deepEqual(embedding, embeddings[0]);
    });

  test("an embedding is the same vector in Gemini's format and in OpenAI's", async () => {
    const model = "text-embedding-3-small";
    const { embeddings } = await google.models.embedContent({ model, contents: "A boat" });
    const { text } = await fleet.client.post("/v1/embeddings", { model, input: "A boat" });
    assert.deepEqual(embeddings?.[0]?.values, JSON.parse(text).data[0].embedding);
  });

  test("the key is accepted in Google's header and as a bearer token, at either version of the path", async () => {
    const contents = "say: yes";
    const model = "gemini-2.5-flash";
    for (const version of ["v1", "v1beta"]) {
      const { models } = clientOf(fleet.run.api_key, version);
      assert.equal((await models.generateContent({ model, contents })).text, "yes");
    }
    const { status } = await fleet.client.post(`/v1/models/${model}:generateContent`, { contents: [user(contents)] });
    assert.equal(status, 200);
    const elsewhere = await fetch(new URL("/v1/audio/voices", fleet.run.base_url), {
      headers: { "x-goog-api-key": fleet.run.api_key },
    });
    assert.equal(elsewhere.status, 401);
  });

  test("a stream without alt=sse is one JSON array", async () => {
    for (const model of ["gemini-2.5-flash", "gpt-4o-mini"]) {
      const path = `/v1beta/models/${model}:streamGenerateContent`;
      const { status, headers, text } = await fleet.client.post(path, { contents: [user("repeat 9 words")] });
      assert.equal(status, 200);
      assert.match(headers.get("content-type") ?? "", /^application\/json/);
      assert.ok((JSON.parse(text) as unknown[]).length > 1);
    }
  });

  test("an idempotency key belongs to the model in the path, too", async () => {
    const headers = { "idempotency-key": "one-model" };
    const ask = (model: string) =>
      fleet.client.post(`/v1beta/models/${model}:generateContent`, { contents: [user("say: once")] }, { headers });
    const first = await ask("gemini-2.5-flash");
    assert.equal((await ask("gemini-2.5-flash")).text, first.text);
    const { text } = await ask("gpt-4o-mini");
    assert.equal(JSON.parse(text).error.details[0].reason, "IDEMPOTENCY_KEY_REUSE");
  });

  test("models are listed and shown", async () => {
    for (const client of [google, clientOf(fleet.run.api_key, "v1beta")]) {
      const listed: string[] = [];
      for await (const { name } of await client.models.list({ config: { pageSize: 20 } })) listed.push(name ?? "");
      for (const model of [...models, ...Object.keys(embeddingModels)])
        assert.ok(listed.includes(`models/${model}`), model);
      assert.equal(new Set(listed).size, listed.length);
      assert.equal((await client.models.get({ model: "gpt-4o-mini" })).name, "models/gpt-4o-mini");
      const { supportedActions } = await client.models.get({ model: "voyage-4" });
      assert.deepEqual(supportedActions, ["embedContent", "batchEmbedContents"]);
      await assert.rejects(client.models.get({ model: "no-such-model" }), ApiError);
    }
  });

  test("each failure has Google's shape and its HTTP status", async () => {
    const contents = "x";
    const fails = async (client: GoogleGenAI, model: string, status: number, name: string) =>
      await assert.rejects(client.models.generateContent({ model, contents }), (error: unknown) => {
        assert.ok(error instanceof ApiError, String(error));
        assert.equal(error.status, status);
        assert.equal(JSON.parse(error.message).error.status, name);
        return true;
      });
    await fails(clientOf(`${fleet.run.api_key.slice(0, -1)}_`), "gemini-2.5-flash", 401, "UNAUTHENTICATED");
    await fails(google, "no-such-model", 400, "NOT_FOUND");
    const end = await setFault(fleet.run.simulator_url, { status: 429, "retry-after": 60 }, { model: "gpt-4.1-mini*" });
    await fails(google, "gpt-4.1-mini", 429, "RESOURCE_EXHAUSTED");
    await end();
    const endBroken = await setFault(fleet.run.simulator_url, { "error-event": 3 }, { model: "gpt-4.1-mini*" });
    const stream = await google.models.generateContentStream({ model: "gpt-4.1-mini", contents: "repeat 9 words" });
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, ApiError);
    await endBroken();
  });

  test("after all tests the ledger contains exactly what the simulator served", async () => {
    const report = await fleet.audit();
    assert.deepEqual(report.violations, []);
  });
});
