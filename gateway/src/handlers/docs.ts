import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { guideNames, renderGuide, renderReference } from "../docs/guides.ts";
import type { Handler } from "../request-state.ts";
import { answerHeaders } from "../respond.ts";

const own = (name: string): URL => new URL(`../docs/${name}`, import.meta.url);
/** The viewer's bundle for browsers, which its package has beside its entry. */
const viewer = (): URL => new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference"));

interface Source {
  readonly type: string;
  readonly policy: string;
  read(): Promise<Buffer>;
}

/** Nothing from elsewhere, and nothing to elsewhere: it works where there is no internet. */
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

/** The pages of the reference: what the browser asks for, and what it gets. */
const sources: Readonly<Record<string, Source>> = {
  "/docs": { type: html, policy: viewerPolicy, read: async () => Buffer.from(await renderReference()) },
  "/docs/reference.css": file(own("reference.css"), css),
  "/docs/start.js": file(own("start.js"), javascript),
  "/docs/reference.js": file(viewer(), javascript),
  "/docs/guides.css": file(own("guides.css"), css),
  "/docs/guides.js": file(own("guides.js"), javascript),
  ...Object.fromEntries(
    guideNames.map((name): [string, Source] => [
      `/docs/guides/${name}`,
      { type: html, policy: guidePolicy, read: async () => Buffer.from(await renderGuide(name)) },
    ]),
  ),
};

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

/**
 * `/docs`: the API's reference for people, made in the browser of `/openapi.json`, and the guides
 * beside it. Read, rendered and compressed once, when somebody asks.
 */
export function docs(): Readonly<Record<string, Handler>> {
  const entries = Object.entries(sources).map(([path, source]) => {
    let page: Promise<Page> | undefined;
    const handler: Handler = async (request, response) => {
      page ??= load(source);
      const { type, policy, tag, plain, compressed } = await page;
      const headers = answerHeaders(request, response);
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
    return [path, handler];
  });
  return Object.fromEntries(entries);
}
