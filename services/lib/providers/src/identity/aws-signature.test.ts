import assert from "node:assert/strict";
import { test } from "node:test";
import { signed } from "./aws-signature.ts";

const key = {
  access_key_id: "AKIDEXAMPLE00000",
  secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
} as const;
const signing = { key, region: "us-east-1", service: "bedrock" } as const;
const now = new Date("2015-08-30T12:36:00Z");
const request = {
  origin: "https://bedrock-runtime.us-east-1.amazonaws.com",
  path: "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke",
  method: "POST",
  headers: ["content-type", "application/json"],
  body: Buffer.from('{"a":1}'),
} as const;
const named = (headers: readonly string[], name: string) => headers[headers.indexOf(name) + 1];

test("a signature is the same for a body in pieces, and another for another body, path, time, secret, region or service", async () => {
  const of = async (more: object, other: object = {}, at = now) => {
    const { headers } = await signed({ ...request, ...more }, { ...signing, ...other }, at);
    return named(headers, "authorization")?.split("Signature=")[1] ?? assert.fail();
  };
  const signature = await of({});
  assert.match(signature, /^[0-9a-f]{64}$/);
  assert.equal(await of({ body: [Buffer.from('{"a"'), Buffer.from(":1}")] }), signature);
  assert.equal(await of({ headers: ["x-client-request-id", "another"] }), signature);
  const others = [
    await of({ body: Buffer.from('{"a":2}') }),
    await of({ path: "/model/other/invoke" }),
    await of({}, {}, new Date("2015-08-30T12:36:01Z")),
    await of({}, { key: { ...key, secret_access_key: "another" } }),
    await of({}, { region: "eu-west-1" }),
    await of({}, { key: { ...key, session_token: "token" } }),
    await of({}, { service: "sts" }),
  ];
  assert.equal(new Set([signature, ...others]).size, 8);
});

test("host, time, digest and session token are signed, and the request's own headers are kept", async () => {
  const { headers } = await signed(request, { ...signing, key: { ...key, session_token: "a-token" } }, now);
  assert.deepEqual(headers.slice(0, 2), request.headers);
  assert.equal(named(headers, "x-amz-date"), "20150830T123600Z");
  assert.equal(named(headers, "x-amz-security-token"), "a-token");
  assert.match(
    named(headers, "authorization") ?? "",
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE00000\/20150830\/us-east-1\/bedrock\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, /,
  );
  assert.doesNotMatch(JSON.stringify(headers), /wJalr/);
});
