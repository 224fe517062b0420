import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { documentNames, documents } from "../src/docs/documents.ts";
import { type Stage, startStage } from "./support/stage.ts";

let stage: Stage;
before(async () => {
  // Never called: the admin API only needs the setting.
  stage = await startStage({ METERING_ADDR: "127.0.0.1:1" });
});
after(async () => {
  await stage[Symbol.asyncDispose]();
});

const anonymous = { authorization: null } as const;

for (const name of documentNames)
  describe(`the OpenAPI document of the ${name} API`, () => {
    const { path, file } = documents[name];

    test("is public and identical to the repository's file", async () => {
      const response = await stage.fetch(path, anonymous);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-type"), "application/json");
      assert.match(response.headers.get("cache-control") ?? "", /max-age=\d+/);
      const committed = JSON.parse(await readFile(file, "utf8"));
      assert.deepEqual(await response.json(), committed);
    });

    test("is not sent again to a client that has it cached", async () => {
      const etag = (await stage.fetch(path, anonymous)).headers.get("etag") ?? "";
      for (const wanted of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const response = await stage.fetch(path, { ...anonymous, headers: { "if-none-match": wanted } });
        assert.equal(response.status, 304, wanted);
        assert.equal(response.headers.get("etag"), etag);
        assert.equal(await response.text(), "");
      }
      const changed = await stage.fetch(path, { ...anonymous, headers: { "if-none-match": '"other"' } });
      assert.equal(changed.status, 200);
      await changed.body?.cancel();
    });

    test("rejects writes", async () => {
      const head = await stage.fetch(path, { ...anonymous, method: "HEAD" });
      assert.equal(head.status, 200);
      assert.ok(Number(head.headers.get("content-length")) > 10_000);
      const post = await stage.fetch(path, { ...anonymous, method: "POST", body: "{}" });
      assert.equal(post.status, 405);
      assert.equal(post.headers.get("allow"), "GET, HEAD, OPTIONS");
      await post.body?.cancel();
    });
  });
