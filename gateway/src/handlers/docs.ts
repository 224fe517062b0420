import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Handler } from "../request-state.ts";
import { answerHeaders } from "../respond.ts";

const own = (name: string): URL => new URL(`../docs/${name}`, import.meta.url);
/** The viewer's bundle for browsers, which its package has beside its entry. */
const viewer = (): URL => new URL("browser/standalone.js", import.meta.resolve("@scalar/api-reference"));

/** The pages of the reference: what the browser asks for, and which file it gets. */
const files = {
  "/docs": { path: own("page.html"), type: "text/html; charset=utf-8" },
  "/docs/start.js": { path: own("start.js"), type: "text/javascript; charset=utf-8" },
  "/docs/reference.js": {
    path: viewer(),
    type: "text/javascript; charset=utf-8",
  },
} as const;

/** Nothing from elsewhere, and nothing to elsewhere: it works where there is no internet. The viewer sets styles by script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "media-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const compress = promisify(gzip);

interface Page {
  readonly type: string;
  readonly tag: string;
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

async function load({ path, type }: (typeof files)[keyof typeof files]): Promise<Page> {
  const plain = await readFile(path);
  const tag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  return { type, tag, plain, compressed: await compress(plain) };
}

/** `/docs`: the API's reference for people, made in the browser of `/openapi.json`. Read and compressed once, when somebody asks. */
export function docs(): Readonly<Record<keyof typeof files, Handler>> {
  const entries = Object.entries(files).map(([path, file]) => {
    let page: Promise<Page> | undefined;
    const handler: Handler = async (request, response) => {
      page ??= load(file);
      const { type, tag, plain, compressed } = await page;
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
