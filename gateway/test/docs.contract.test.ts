import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { errorTable } from "@uag/contract/errors/table";
import { documentNames, documents } from "../src/docs/documents.ts";
import { guideNames } from "../src/docs/guides.ts";
import { type Stage, startStage } from "./support/stage.ts";

const anonymous = { authorization: null } as const;

describe("the API reference page", () => {
  let stage: Stage;
  before(async () => {
    // Never called: the admin API only needs the setting.
    stage = await startStage({ METERING_ADDR: "127.0.0.1:1" });
  });
  after(() => stage[Symbol.asyncDispose]());

  for (const name of documentNames)
    test(`the ${name} API's page loads nothing from another origin, by its content security policy`, async () => {
      const { page: path, path: document } = documents[name];
      const page = await stage.fetch(path, anonymous);
      assert.equal(page.status, 200);
      assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'self'; /);
      const html = await page.text();
      assert.doesNotMatch(html, /\{\{/);
      const scripts = [...html.matchAll(/src="([^"]+)"/g)].map(([, src]) => src as string);
      assert.deepEqual(scripts, ["/docs/reference.js", "/docs/start.js"]);
      for (const script of scripts) {
        const { status, headers } = await stage.fetch(script, anonymous);
        assert.deepEqual([status, headers.get("content-type")], [200, "text/javascript; charset=utf-8"]);
      }
      assert.ok(html.includes(`data-document="${document}"`));
      assert.match(
        await (await stage.fetch("/docs/start.js", anonymous)).text(),
        /fetch\(element\.dataset\.document\)/,
      );
    });

  test("links to every guide, and every guide links to the reference and the others", async () => {
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
      for (const href of ["/docs", "/docs/admin", ...paths])
        assert.ok(links.has(href), `${path} does not lead to ${href}`);
      for (const href of links)
        assert.equal((await stage.fetch(href, anonymous)).status, 200, `${path} leads to ${href}`);
    }
  });

  test("the admin API's document is on the operators' port, and on the public one only with that API", async () => {
    const { adminPort } = stage.gateway;
    for (const path of ["/docs/admin", "/openapi/admin.json", "/docs/reference.js"])
      assert.equal((await fetch(`http://127.0.0.1:${adminPort}${path}`)).status, 200, path);
    const page = await (await fetch(`http://127.0.0.1:${adminPort}/docs/admin`)).text();
    assert.doesNotMatch(page, /href="\/docs"|guides/, "the public API's pages are not there to be led to");
    assert.equal((await fetch(`http://127.0.0.1:${adminPort}/docs`)).status, 404);
    await using hidden = await startStage({ METERING_ADDR: "127.0.0.1:1", ADMIN_ON_PUBLIC_PORT: "off" });
    for (const path of ["/docs/admin", "/openapi/admin.json"])
      assert.equal((await hidden.fetch(path, anonymous)).status, 404, path);
    assert.doesNotMatch(await (await hidden.fetch("/docs", anonymous)).text(), /admin/i);
    assert.doesNotMatch(await (await hidden.fetch("/docs/guides/errors", anonymous)).text(), /href="\/docs\/admin"/);
  });

  test("lists every error code with its status and remedy", async () => {
    const html = await (await stage.fetch("/docs/guides/errors", anonymous)).text();
    for (const [code, { http }] of Object.entries(errorTable))
      if (http !== 499) assert.match(html, new RegExp(`<code>${code}</code></td>\\s*<td>${http}</td>`));
  });

  test("is compressed for clients that accept it, and returns 304 to those that have it", async () => {
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
