import assert from "node:assert/strict";
import { test } from "node:test";
import { checkEmbeddings, embeddingsBody, embeddingsResponse, vectorCount, vectorSize } from "./embeddings.ts";
import { nonceText } from "./responses.ts";

const head = "HTTP/1.1 200 OK\r\n";
const nonce = nonceText(123_456_789);

for (const format of ["float", "base64"] as const) {
  test(`${format}: the response is JSON of the right size and passes its own check`, () => {
    const body = embeddingsResponse({ model: "m", nonce, format });
    const { data } = JSON.parse(body) as { data: { embedding: number[] | string }[] };
    assert.equal(data.length, vectorCount);
    const [{ embedding } = assert.fail()] = data;
    const size = typeof embedding === "string" ? Buffer.from(embedding, "base64").length / 4 : embedding.length;
    assert.equal(size, vectorSize);
    checkEmbeddings({ head, body, nonce }, format);
    checkEmbeddings({ head, body: JSON.stringify(JSON.parse(body)), nonce }, format);
    assert.ok(embeddingsBody({ model: "m", nonce, format }).includes(`nonce=${nonce}`));
  });

  test(`${format}: another request's response, a short one and a wrong count are rejected`, () => {
    const body = embeddingsResponse({ model: "m", nonce, format });
    for (const bad of [
      embeddingsResponse({ model: "m", nonce: nonceText(1), format }),
      embeddingsResponse({ model: "m", nonce, format: format === "float" ? "base64" : "float" }),
      body.replace('"total_tokens":640', '"total_tokens":641'),
    ])
      assert.throws(() => checkEmbeddings({ head, body: bad, nonce }, format));
    assert.throws(() => checkEmbeddings({ head: "HTTP/1.1 500 Oh\r\n", body, nonce }, format));
  });
}
