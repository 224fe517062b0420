import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { adminApi } from "@uag/cli/commands/admin-api";
import { attemptsAt, setFault } from "@uag/harness/fleet/faults";
import { openSharedFleet, type SharedFleet } from "@uag/harness/fleet/shared-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { singleName } from "@uag/local/single";

/** The handshake of protocol versions up to 2025-11-25; later versions have none. */
const revisions = ["legacy", "auto"] as const;
type Revision = (typeof revisions)[number];

const allTools = [
  "list_models",
  "chat",
  "generate_image",
  "edit_image",
  "create_video",
  "get_video",
  "wait_for_video",
  "cancel_video",
  "embed",
  "synthesize_speech",
  "list_voices",
  "get_quota",
  "get_usage",
  "open_envelope",
  "get_envelope",
  "close_envelope",
];

interface Content {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly uri?: string;
  readonly mimeType?: string;
}

describe("the tool server behind the public server", () => {
  let fleet: SharedFleet;

  before(async () => {
    fleet = await openSharedFleet();
  });

  async function connected(mode: Revision, key = fleet.run.api_key): Promise<Client> {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(fleet.run.mcp_url), { requestInit }));
    return client;
  }

  async function newKey(body: object): Promise<string> {
    return (
      (await adminApi(fleet.run).call("POST", "/keys", { account_id: fleet.run.account_id, ...body })) as {
        key: string;
      }
    ).key;
  }

  /** Calls a tool. The client itself validates structured content against the tool's schema. */
  async function call(client: Client, name: string, args: Record<string, unknown>, onprogress?: () => void) {
    const result = await client.callTool({ name, arguments: args }, onprogress && { onprogress });
    const content = result.content as Content[];
    return { ...result, content, text: content[0]?.text ?? "", structured: (result.structuredContent ?? {}) as Fields };
  }
  type Fields = Record<string, unknown>;

  /** Where the tool server itself listens, behind the router. */
  async function mcpPort(): Promise<number> {
    const log = await readFile(join(fleet.dataDir, "log", `${singleName}.log`), "utf8");
    const up = log.split("\n").findLast((line) => line.includes("mcp is up")) ?? "{}";
    return (JSON.parse(up) as { port: number }).port;
  }

  test("a response has keep-alive only if the server keeps the connection", async () => {
    const headers = {
      authorization: `Bearer ${fleet.run.api_key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      connection: "close",
    };
    const list = request({ port: await mcpPort(), path: "/mcp", method: "POST", headers });
    list.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }));
    const [response] = (await once(list, "response")) as [IncomingMessage];
    assert.deepEqual([response.statusCode, response.headers.connection], [200, "close"]);
    response.destroy();
  });

  const hello = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Say hello" }] };
  const refused = async (init: RequestInit) => {
    const response = await fetch(fleet.run.mcp_url, init);
    const body = (await response.json()) as { error: { code: number; data: { code: string } } };
    return { status: response.status, headers: response.headers, ...body.error };
  };

  for (const mode of revisions)
    describe(`protocol version ${mode === "legacy" ? "2025-11-25" : "2026-07-28"}`, () => {
      let client: Client;
      before(async () => {
        client = await connected(mode);
      });
      after(() => client.close());

      test("lists a tool for every capability, with schemas, hints and prices", async () => {
        assert.equal(client.getNegotiatedProtocolVersion(), mode === "legacy" ? "2025-11-25" : "2026-07-28");
        const { tools } = await client.listTools();
        assert.deepEqual(
          tools.map(({ name }) => name),
          allTools,
        );
        for (const { title, description, inputSchema, outputSchema, annotations } of tools) {
          assert.ok(title && description && inputSchema.type === "object" && outputSchema?.type === "object");
          assert.notEqual(annotations?.readOnlyHint, undefined);
        }
        const speech = tools.find(({ name }) => name === "synthesize_speech");
        assert.match(speech?.description ?? "", /alpha3-tts-flash: characters \d+/);
      });

      test("returns a chat's text, usage and cost", async () => {
        const { text, structured } = await call(client, "chat", hello);
        assert.match(text, /built-in simulator/);
        assert.ok((structured["usage"] as { total_tokens: number }).total_tokens > 0);
        assert.ok((structured["cost_usd"] as number) > 0);
      });

      test("reports progress while a response is generated", async () => {
        const end = await setFault(fleet.run.simulator_url, { slow: 40 }, { model: "gpt-4o-mini" });
        let reports = 0;
        const { structured } = await call(client, "chat", hello, () => reports++).finally(end);
        assert.ok(reports > 1, `${reports} reports`);
        assert.equal(structured["finish_reason"], "stop");
      });

      test("generates and edits an image; small images are in the result, and images with a URL also have a link", async () => {
        const made = await call(client, "generate_image", { model: "alpha-image-2.0", prompt: "A cat" });
        assert.deepEqual(
          made.content.map(({ type }) => type),
          ["image", "resource_link"],
        );
        const url = made.content[1]?.uri;
        const edited = await call(client, "edit_image", { model: "gamma-image-2", prompt: "A dog", images: [url] });
        const [picture] = edited.content;
        assert.equal(picture?.type, "image");
        assert.equal(
          Buffer.from(picture?.data ?? "", "base64")
            .subarray(1, 4)
            .toString(),
          "PNG",
        );
      });

      test("starts a video, waits for it with progress reports and returns its link", async () => {
        const { structured } = await call(client, "create_video", { model: "beta2.6-t2v", prompt: "A cat" });
        assert.equal(structured["status"], "submitted");
        let reports = 0;
        const waited = await call(client, "wait_for_video", { id: structured["id"] }, () => reports++);
        assert.equal(waited.structured["status"], "succeeded");
        assert.equal(waited.content[1]?.type, "resource_link");
        assert.ok(reports > 0);
        const found = await call(client, "get_video", { id: structured["id"] });
        assert.deepEqual(found.structured, waited.structured);
        const cancelled = await call(client, "cancel_video", { id: structured["id"] });
        assert.equal(cancelled.structured["status"], "succeeded", "a cancellation does not change an ended task");
      });

      test("embeds texts, synthesizes speech, and lists voices, quota and usage", async () => {
        const args = { model: "text-embedding-v4", texts: ["one", "two"], dimensions: 64 };
        const { structured } = await call(client, "embed", args);
        assert.deepEqual(
          (structured["vectors"] as number[][]).map((vector) => vector.length),
          [64, 64],
        );
        const many = { model: "text-embedding-3-small", texts: Array.from({ length: 40 }, (_, i) => `text ${i}`) };
        const { structured: large, text } = await call(client, "embed", many);
        const vectors = large["vectors"] as number[][];
        assert.deepEqual([vectors.length, vectors[39]?.length], [40, 1536]);
        assert.match(text, /40 vectors, see structuredContent/);
        const spoken = await call(client, "synthesize_speech", { model: "alpha3-tts-flash", text: "Hello" });
        assert.equal(spoken.content[0]?.type, "audio");
        assert.equal(Buffer.from(spoken.content[0]?.data ?? "", "base64").length, spoken.structured["bytes"]);
        const voices = await call(client, "list_voices", {});
        assert.ok((voices.structured["voices"] as Fields[]).some(({ id }) => id === "Cherry"));
        const quota = await call(client, "get_quota", {});
        assert.equal(quota.structured["limit_usd"], 100);
        assert.match((await call(client, "get_usage", {})).text, /"days":\[/);
        const opened = await call(client, "open_envelope", { max_usd: 0.25, name: "helper" });
        const { id, key, max_usd } = opened.structured;
        assert.equal(max_usd, "0.250000000");
        const helper = await connected(mode, String(key));
        assert.equal((await call(helper, "get_quota", {})).structured["limit_usd"], 0.25);
        await helper.close();
        assert.equal((await call(client, "get_envelope", { id })).structured["status"], "open");
        assert.equal((await call(client, "close_envelope", { id })).structured["status"], "closed");
        const models = await call(client, "list_models", { operation: "audio.speech" });
        assert.equal((models.structured["models"] as Fields[]).length, 2);
      });

      test("has the catalogue and the quota as resources", async () => {
        const { resources: listed } = await client.listResources();
        assert.deepEqual(
          listed.map(({ uri }) => uri),
          ["gateway://models", "gateway://quota"],
        );
        for (const { uri } of listed) {
          const { contents } = await client.readResource({ uri });
          assert.equal(typeof JSON.parse((contents[0] as { text: string }).text), "object");
        }
      });

      test("reports a refusal with its reason, a remedy and a retry time", async () => {
        const unknown = await call(client, "chat", { ...hello, model: "nope" });
        assert.equal(unknown.isError, true);
        assert.match(unknown.text, /^model_not_found: .*list_models/);
        const wrong = await call(client, "chat", { model: "gpt-4o-mini" });
        assert.equal(wrong.isError, true);
        assert.match(wrong.text, /messages/);
        const end = await setFault(
          fleet.run.simulator_url,
          { status: 429, "retry-after": 7 },
          { model: "gpt-4o-mini" },
        );
        const limited = await call(client, "chat", hello).finally(end);
        assert.match(limited.text, /^upstream_rate_limited: .* Retry after \d+ s\.$/);
        const elsewhere = await call(client, "edit_image", {
          model: "gamma-image-2",
          prompt: "x",
          images: ["https://169.254.169.254/latest"],
        });
        assert.match(elsewhere.text, /^invalid_request: image: The URL's host is not a public address\./);
      });

      test("cancels the upstream call when the client cancels", async () => {
        const end = await setFault(fleet.run.simulator_url, { slow: 200 }, { model: "gpt-4o-mini" });
        const attempts = async () => (await attemptsAt(fleet.run.simulator_url)).length;
        const before = await attempts();
        const controller = new AbortController();
        const pending = client.callTool(
          { name: "chat", arguments: { ...hello, messages: [{ role: "user", content: "repeat 300 words" }] } },
          { signal: controller.signal, onprogress: () => controller.abort() },
        );
        await assert.rejects(pending);
        // The whole response takes a minute, and is logged at its end.
        await waitFor(async () => (await attempts()) > before, { what: "the upstream call's end" }).finally(end);
      });
    });

  test("a key has only the tools of its models", async () => {
    const secret = await newKey({ key_alias: "narrow", models: ["gpt-4o-mini"] });
    const client = await connected("auto", secret);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["list_models", "chat", "get_quota", "get_usage", "open_envelope", "get_envelope", "close_envelope"],
    );
    await client.close();
  });

  test("an account without money is refused with that reason and is not charged", async () => {
    await adminApi(fleet.run).call("POST", "/accounts", { id: "poor", name: "poor" });
    const secret = await newKey({ key_alias: "poor", account_id: "poor" });
    const client = await connected("auto", secret);
    const { isError, text } = await call(client, "chat", hello);
    assert.equal(isError, true);
    assert.match(text, /^insufficient_balance: .*topped up/);
    await client.close();
  });

  test("a request without a key, from another site or by another method is refused, without a redirect to OAuth", async () => {
    const { api_key: key, base_url: base } = fleet.run;
    const authorization = `Bearer ${key}`;
    const keyless = await refused({ method: "POST", body: "{}" });
    assert.deepEqual([keyless.status, keyless.data.code], [401, "invalid_api_key"]);
    assert.equal(keyless.headers.get("www-authenticate"), 'Bearer realm="gateway", error="invalid_token"');
    const wrong = await refused({ method: "POST", body: "{}", headers: { authorization: "Bearer sk-wrong" } });
    assert.equal(wrong.status, 401);
    assert.equal((await fetch(`${base}/.well-known/oauth-protected-resource`)).status, 404);
    for (const method of ["GET", "DELETE", "PUT"]) {
      const { status, headers } = await refused({ method, headers: { authorization } });
      assert.deepEqual([status, headers.get("allow")], [405, "POST"]);
    }
    const origin = { authorization, origin: "https://elsewhere.example" };
    assert.equal((await refused({ method: "POST", body: "{}", headers: origin })).status, 403);
  });

  test("an invalid message gets the protocol's own error", async () => {
    const headers = { authorization: `Bearer ${fleet.run.api_key}`, "content-type": "application/json" };
    const post = (body: string) => refused({ method: "POST", headers, body });
    const broken = await post('{"jsonrpc"');
    assert.deepEqual([broken.status, broken.code], [400, -32_700]);
    const deep = await post(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    assert.deepEqual([deep.status, deep.code], [400, -32_600]);
    const batch = await post(JSON.stringify(Array(100).fill({ jsonrpc: "2.0", id: 1, method: "ping" })));
    assert.deepEqual([batch.status, batch.code], [400, -32_600]);
  });

  test("after all tests the books are exact", async () => {
    const report = await fleet.audit(20_000);
    assert.deepEqual(report.violations, []);
  });
});
