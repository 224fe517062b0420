import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type DocumentName, documents } from "../docs/documents.ts";
import { guideNames, renderGuide, renderReference } from "../docs/guides.ts";
import type { Handler } from "../request-state.ts";
import { responseHeaders } from "../respond.ts";
import { openApi } from "./openapi.ts";

const own = (name: string): URL => new URL(`../docs/${name}`, import.meta.url);
/** The viewer's browser bundle, which its package keeps next to its entry point. */
const viewer = (): URL => new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference"));

interface Source {
  readonly type: string;
  readonly policy: string;
  read(): Promise<Buffer>;
}

/** Nothing is loaded from or sent to another origin, so the pages also work offline. */
const framing = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

/** The viewer sets styles by script. */
const viewerPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "media-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  ...framing,
].join("; ");

const guidePolicy = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src data:", ...framing].join(
  "; ",
);

const file = (path: URL, type: string): Source => ({ type, policy: viewerPolicy, read: () => readFile(path) });
const html = "text/html; charset=utf-8";
const css = "text/css; charset=utf-8";
const javascript = "text/javascript; charset=utf-8";

const page = (policy: string, render: () => Promise<string>): Source => ({
  type: html,
  policy,
  read: async () => Buffer.from(await render()),
});

/** The files that reference pages load. */
const viewerFiles: Readonly<Record<string, Source>> = {
  "/docs/reference.css": file(own("reference.css"), css),
  "/docs/start.js": file(own("start.js"), javascript),
  "/docs/reference.js": file(viewer(), javascript),
};

type Offered = readonly DocumentName[];

const guides = (offered: Offered): Record<string, Source> => ({
  "/docs/guides.css": file(own("guides.css"), css),
  "/docs/guides.js": file(own("guides.js"), javascript),
  ...Object.fromEntries(
    guideNames.map((name) => [`/docs/guides/${name}`, page(guidePolicy, () => renderGuide(name, offered))]),
  ),
});

/** The pages and files by path. */
const sources = (offered: Offered): Readonly<Record<string, Source>> => ({
  ...Object.fromEntries(
    offered.map((name) => [documents[name].page, page(viewerPolicy, () => renderReference(name, offered))]),
  ),
  ...viewerFiles,
  ...(offered.includes("public") && guides(offered)),
});

const compress = promisify(gzip);

interface Page {
  readonly type: string;
  readonly policy: string;
  readonly tag: string;
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

async function load({ type, policy, read }: Source): Promise<Page> {
  const plain = await read();
  const tag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  return { type, policy, tag, plain, compressed: await compress(plain) };
}

/** Reads, renders and compresses a source once, on the first request. */
function serve(source: Source): Handler {
  let loaded: Promise<Page> | undefined;
  return async (request, response) => {
    loaded ??= load(source);
    const { type, policy, tag, plain, compressed } = await loaded;
    const headers = responseHeaders(request, response);
    headers.push("etag", tag, "cache-control", "public, max-age=300", "vary", "accept-encoding");
    headers.push("content-security-policy", policy, "referrer-policy", "no-referrer");
    if (request.headers["if-none-match"] === tag) {
      response.writeHead(304, headers).end();
      return;
    }
    const zipped = request.acceptsEncodings("gzip") === "gzip";
    const body = zipped ? compressed : plain;
    if (zipped) headers.push("content-encoding", "gzip");
    headers.push("content-type", type, "content-length", String(body.length));
    response.writeHead(200, headers).end(body);
  };
}

/**
 * The offered OpenAPI documents; `/docs` and `/docs/admin`, which render them in the browser; and,
 * with the public API's, the guides.
 */
export function reference(offered: Offered): Readonly<Record<string, Handler>> {
  const forPrograms = offered.map((name): [string, Handler] => [documents[name].path, openApi(name)]);
  const forPeople = Object.entries(sources(offered)).map(([path, source]): [string, Handler] => [path, serve(source)]);
  return Object.fromEntries([...forPrograms, ...forPeople]);
}
