import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { errorTable } from "@uag/contract/errors/table";
import { documentNames, documents } from "../src/docs/documents.ts";
import { guideNames, guidePath } from "../src/docs/guides.ts";
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

  const atRoot = ({ fetch }: Stage, accept: string) =>
    fetch("/", { ...anonymous, headers: { accept }, redirect: "manual" });
  const asBrowser = "text/html,application/xhtml+xml,*/*;q=0.8";

  test("the root leads a browser to the console, or to the documentation where there is none, and is JSON otherwise", async () => {
    await using withConsole = await startStage({ METERING_ADDR: "127.0.0.1:1", CONSOLE_URL: "http://127.0.0.1:1" });
    const redirect = await atRoot(withConsole, asBrowser);
    assert.deepEqual([redirect.status, redirect.headers.get("location")], [302, "/console"]);
    assert.match(redirect.headers.get("vary") ?? "", /\baccept\b/);
    const page = await atRoot(stage, asBrowser);
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    const html = await page.text();
    for (const href of ["/console", "/docs/reference", "/docs/guides/quickstart"])
      assert.ok(html.includes(`href="${href}"`), href);
    for (const accept of ["*/*", "application/json", ""])
      for (const each of [stage, withConsole]) {
        const { name } = (await (await atRoot(each, accept)).json()) as { name: string };
        assert.equal(name, "unified-ai-gateway", accept);
      }
  });

  test("a guide loads the highlighter, and its samples name their language", async () => {
    const html = await (await stage.fetch("/docs/guides/quickstart", anonymous)).text();
    assert.match(html, /<script src="\/docs\/highlight\.js" defer>/);
    assert.equal((await stage.fetch("/docs/highlight.js", anonymous)).status, 200);
    for (const language of ["sh", "js", "python"]) assert.ok(html.includes(`class="language-${language}"`), language);
  });

  test("links to every guide, and every guide links to the reference and the others", async () => {
    const paths = guideNames.map(guidePath);
    const linksOf = (html: string): string[] =>
      [...html.matchAll(/href="(\/docs[^"#]*)[^"]*"/g)].map(([, href]) => href as string);
    const linked = linksOf(await (await stage.fetch("/docs/reference", anonymous)).text());
    assert.equal((await stage.fetch("/docs/reference.css", anonymous)).status, 200);
    assert.deepEqual(
      linked.filter((href) => href === "/docs" || href.startsWith("/docs/guides/")),
      paths,
    );
    for (const path of paths) {
      const page = await stage.fetch(path, anonymous);
      assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
      assert.doesNotMatch(page.headers.get("content-security-policy") ?? "unsafe", /unsafe/);
      const html = await page.text();
      assert.doesNotMatch(html, /\{\{|<style|<script>| style=/);
      const links = new Set(linksOf(html));
      for (const href of ["/docs/reference", "/docs/admin", ...paths])
        assert.ok(links.has(href), `${path} does not lead to ${href}`);
      for (const href of links)
        assert.equal((await stage.fetch(href, anonymous)).status, 200, `${path} leads to ${href}`);
    }
  });

  test("every page has a Markdown twin, and /llms.txt lists them all", async () => {
    const index = await stage.fetch("/llms.txt", anonymous);
    assert.equal(index.headers.get("content-type"), "text/plain; charset=utf-8");
    const listed = [...(await index.text()).matchAll(/\]\((\/[^)]+)\)/g)].map(([, path]) => path as string);
    const pages = [...guideNames.map(guidePath), ...documentNames.map((name) => documents[name].page)];
    for (const path of pages) assert.ok(listed.includes(`${path}.md`), `${path}.md`);
    for (const path of listed) {
      const twin = await stage.fetch(path, anonymous);
      assert.equal(twin.status, 200, path);
      if (!path.endsWith(".md")) continue;
      assert.equal(twin.headers.get("content-type"), "text/markdown; charset=utf-8");
      const source = await twin.text();
      assert.match(source, /^# /);
      assert.doesNotMatch(source, /\{\{| expect=/, path);
      for (const [, href] of source.matchAll(/\]\((\/docs[^)#]*)/g))
        assert.equal((await stage.fetch(href as string, anonymous)).status, 200, `${path} leads to ${href}`);
    }
    const reference = await (await stage.fetch("/docs/reference.md", anonymous)).text();
    assert.match(reference, /### POST \/v1\/chat\/completions\n[^#]*curl/);
  });

  test("the admin API's document is on the operators' port, and on the public one only with that API", async () => {
    const { adminPort } = stage.gateway;
    for (const path of ["/docs/admin", "/openapi/admin.json", "/docs/reference.js"])
      assert.equal((await fetch(`http://127.0.0.1:${adminPort}${path}`)).status, 200, path);
    const page = await (await fetch(`http://127.0.0.1:${adminPort}/docs/admin`)).text();
    assert.doesNotMatch(
      page,
      /href="\/docs(\/reference)?"|guides/,
      "the public API's pages are not there to be led to",
    );
    for (const path of ["/docs", "/docs/reference"])
      assert.equal((await fetch(`http://127.0.0.1:${adminPort}${path}`)).status, 404, path);
    await using hidden = await startStage({ METERING_ADDR: "127.0.0.1:1", ADMIN_ON_PUBLIC_PORT: "off" });
    for (const path of ["/docs/admin", "/openapi/admin.json"])
      assert.equal((await hidden.fetch(path, anonymous)).status, 404, path);
    assert.doesNotMatch(await (await hidden.fetch("/docs/reference", anonymous)).text(), /admin/i);
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
    assert.ok(Number(zipped.headers.get("content-length")) * 2 < Number(plain.headers.get("content-length")));
    const smallest = await stage.fetch("/docs/reference.js", {
      ...anonymous,
      headers: { "accept-encoding": "gzip, br" },
    });
    assert.equal(smallest.headers.get("content-encoding"), "br");
    assert.ok(Number(smallest.headers.get("content-length")) < 400_000, "a reference is there within a second");
  });
});
