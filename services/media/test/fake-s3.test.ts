import assert from "node:assert/strict";
import { test } from "node:test";
import { signatureOf } from "./fake-s3.ts";

const headers = { host: "examplebucket.s3.amazonaws.com", "x-amz-date": "20130524T000000Z" };
const scope = { date: "20130524T000000Z", region: "us-east-1", service: "s3" };
const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

test("computes the signatures of the examples in S3's documentation", () => {
  const get = (path: string, more: Record<string, string>, signed: string[]): string =>
    signatureOf(
      {
        method: "GET",
        url: new URL(`https://${headers.host}${path}`),
        headers: { ...headers, "x-amz-content-sha256": empty, ...more },
        signed,
        payload: empty,
      },
      { ...scope, secret },
    );
  const usual = ["host", "x-amz-content-sha256", "x-amz-date"];
  assert.equal(
    get("/test.txt", { range: "bytes=0-9" }, ["host", "range", "x-amz-content-sha256", "x-amz-date"]),
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  );
  assert.equal(get("/?lifecycle", {}, usual), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  assert.equal(
    get("/?max-keys=2&prefix=J", {}, usual),
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  );
});
