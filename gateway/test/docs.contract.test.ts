import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Stage, startStage } from "./support/stage.ts";

const anonymous = { authorization: null } as const;

describe("the reference for people", () => {
  let stage: Stage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage[Symbol.asyncDispose]());

  test("is a page of this origin alone: it loads nothing from elsewhere, and may not", async () => {
    const page = await stage.fetch("/docs", anonymous);
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'self'; /);
    const html = await page.text();
    const scripts = [...html.matchAll(/src="([^"]+)"/g)].map(([, src]) => src as string);
    assert.deepEqual(scripts, ["/docs/reference.js", "/docs/start.js"]);
    for (const path of scripts) {
      const { status, headers } = await stage.fetch(path, anonymous);
      assert.deepEqual([status, headers.get("content-type")], [200, "text/javascript; charset=utf-8"]);
    }
    assert.match(await (await stage.fetch("/docs/start.js", anonymous)).text(), /url: "\/openapi\.json"/);
  });

  test("is sent compressed to who takes that, and not again to who has it", async () => {
    const plain = await stage.fetch("/docs/reference.js", { ...anonymous, headers: { "accept-encoding": "identity" } });
    assert.equal(plain.headers.get("content-encoding"), null);
    const tag = plain.headers.get("etag") ?? "";
    const again = await stage.fetch("/docs/reference.js", { ...anonymous, headers: { "if-none-match": tag } });
    assert.equal(again.status, 304);
    const zipped = await stage.fetch("/docs/reference.js", { ...anonymous, headers: { "accept-encoding": "gzip" } });
    assert.equal(zipped.headers.get("content-encoding"), "gzip");
    assert.ok(Number(zipped.headers.get("content-length")) * 3 < Number(plain.headers.get("content-length")));
  });
});
