import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Plugin } from "rolldown";
import { repoRoot } from "../paths.ts";
import { originalUrls } from "./original-urls.ts";

const id = `${repoRoot}/gateway/src/handlers/docs.ts`;

function transformed(code: string): string {
  const { transform } = originalUrls(repoRoot) as Plugin & { transform(code: string, id: string): { code: string } };
  return transform(code, id).code;
}

test("a bundled module finds files and packages from where its source is", () => {
  const here = JSON.stringify(pathToFileURL(id).href);
  assert.equal(transformed('new URL("../a.html", import.meta.url)'), `new URL("../a.html", ${here})`);
  assert.equal(transformed("join(import.meta.dirname)"), `join("${repoRoot}/gateway/src/handlers")`);
  const found = transformed('import.meta.resolve("redoc/bundles/redoc.standalone.js")');
  assert.match(found, /^"file:\/\/\/.*\/redoc\/bundles\/redoc\.standalone\.js"$/);
});

test("a bundled thread's program is found beside the bundle", () => {
  const thread = 'new URL("thread.js", import.meta.url)';
  assert.equal(transformed(thread), thread);
});
