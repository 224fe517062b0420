import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import type { AccessKey } from "../src/aws/access-keys.ts";
import { authorizationIn, signatureOf } from "../src/aws/signature.ts";
import { type Simulator, startSimulator } from "../src/service.ts";
import { send } from "./support.ts";

let simulator: Simulator;
let key: AccessKey;

const newKey = async (query = ""): Promise<AccessKey> =>
  (await (await fetch(`${simulator.url}/sim/access-keys${query}`, { method: "POST" })).json()) as AccessKey;

before(async () => {
  simulator = await startSimulator();
  key = await newKey();
});
after(() => simulator.close());

/** The example `get-vanilla` of AWS's test suite for Signature Version 4. */
test("a signature is the one that AWS publishes for its example", () => {
  const headers = { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" };
  const authorization = authorizationIn(
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  );
  assert.ok(authorization !== undefined);
  const request = { method: "GET", path: "/", query: new URLSearchParams(), headers, bytes: Buffer.alloc(0) };
  assert.equal(
    signatureOf(request, authorization, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
    authorization.signature,
  );
});

interface Signing {
  readonly key?: AccessKey;
  readonly secret?: string;
  readonly at?: number;
  readonly service?: string;
  readonly path?: string;
  readonly sentBody?: string;
  /** Of the headers that are sent, those that are not signed. */
  readonly unsigned?: readonly string[];
}

const model = "us.anthropic.claude-haiku-4-5-20251001-v1:0";
const body = JSON.stringify({
  anthropic_version: "bedrock-2023-05-31",
  max_tokens: 50,
  messages: [{ role: "user", content: "say: Hi" }],
});

async function invoke({ at = Date.now(), service = "bedrock", unsigned = [], ...signing }: Signing = {}) {
  const { key: used = key, secret = used.secret_access_key, path = "/invoke", sentBody = body } = signing;
  const date = new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const target = `/bedrock/model/${encodeURIComponent(model)}`;
  const headers: Record<string, string> = {
    host: `127.0.0.1:${simulator.port}`,
    "x-amz-content-sha256": createHash("sha256").update(sentBody).digest("hex"),
    "x-amz-date": date,
    ...(used.session_token !== undefined && { "x-amz-security-token": used.session_token }),
  };
  const scope = [date.slice(0, 8), "us-east-1", service, "aws4_request"];
  const signedHeaders = Object.keys(headers).filter((name) => !unsigned.includes(name));
  const parts = { accessKeyId: used.access_key_id, scope, signedHeaders, signature: "" };
  const request = { method: "POST", path: `${target}/invoke`, query: new URLSearchParams(), headers };
  const signature = signatureOf({ ...request, bytes: Buffer.from(body) }, parts, secret);
  const { host: _, ...sent } = headers;
  return await send(simulator, target + path, sentBody, {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${used.access_key_id}/${scope.join("/")}, SignedHeaders=${signedHeaders.join(";")}, Signature=${signature}`,
  });
}

test("a signed request is served, also with a temporary key", async () => {
  for (const used of [key, await newKey("?temporary")]) {
    const { status, text } = await invoke({ key: used });
    assert.equal(status, 200, text);
    assert.deepEqual(JSON.parse(text).content, [{ type: "text", text: "Hi" }]);
  }
});

test("a request is refused with AWS's type when its signature, time, scope, body, path or token is another", async () => {
  const { session_token: _, ...lacking } = await newKey("?temporary");
  const cases: [Signing, status: number, type: string][] = [
    [{ secret: "another" }, 403, "InvalidSignatureException"],
    [{ at: Date.now() - 6 * 60_000 }, 403, "InvalidSignatureException"],
    [{ at: Date.now() + 6 * 60_000 }, 403, "InvalidSignatureException"],
    [{ service: "s3" }, 403, "InvalidSignatureException"],
    [{ sentBody: body.replace("Hi", "Ho") }, 403, "InvalidSignatureException"],
    [{ path: "/invoke-with-response-stream" }, 403, "InvalidSignatureException"],
    [{ key: lacking }, 403, "UnrecognizedClientException"],
    [{ key: { ...key, access_key_id: "AKIA0000000000000000" } }, 403, "UnrecognizedClientException"],
    [{ unsigned: ["x-amz-content-sha256"] }, 400, "IncompleteSignatureException"],
  ];
  for (const [signing, status, type] of cases) {
    const response = await invoke(signing);
    const given = response.headers.get("x-amzn-errortype")?.split(":")[0];
    assert.deepEqual([response.status, given], [status, type], JSON.stringify(signing));
    assert.match(response.text, /^\{"message":"/);
  }
});
