import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { errorTable } from "@uag/contract/errors/table.ts";
import { guideNames } from "../src/docs/guides.ts";
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

  test("leads to every guide, and every guide to the reference and to the others", async () => {
    const paths = guideNames.map((name) => `/docs/guides/${name}`);
    const linksOf = (html: string): string[] =>
      [...html.matchAll(/href="(\/docs[^"#]*)[^"]*"/g)].map(([, href]) => href as string);
    const linked = linksOf(await (await stage.fetch("/docs", anonymous)).text());
    assert.equal((await stage.fetch("/docs/reference.css", anonymous)).status, 200);
    assert.deepEqual(
      linked.filter((href) => href.startsWith("/docs/guides/")),
      paths,
    );
    for (const path of paths) {
      const page = await stage.fetch(path, anonymous);
      assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
      assert.doesNotMatch(page.headers.get("content-security-policy") ?? "unsafe", /unsafe/);
      const html = await page.text();
      assert.doesNotMatch(html, /\{\{|<style|<script>| style=/);
      const links = new Set(linksOf(html));
      for (const href of ["/docs", ...paths]) assert.ok(links.has(href), `${path} does not lead to ${href}`);
      for (const href of links)
        assert.equal((await stage.fetch(href, anonymous)).status, 200, `${path} leads to ${href}`);
    }
  });

  test("tells of every error code with its status and what to do", async () => {
    const html = await (await stage.fetch("/docs/guides/errors", anonymous)).text();
    for (const [code, { http }] of Object.entries(errorTable))
      if (http !== 499) assert.match(html, new RegExp(`<code>${code}</code></td>\\s*<td>${http}</td>`));
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
