import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type DocumentName, documents } from "../docs/documents.ts";
import { guideMarkdown, guideNames, guidePath, renderGuide, renderReference } from "../docs/guides.ts";
import { llmsText, referenceMarkdown } from "../docs/markdown.ts";
import type { Handler } from "../request-state.ts";
import { responseHeaders } from "../respond.ts";
import { openApi } from "./openapi.ts";

const own = (name: string): URL => new URL(`../docs/${name}`, import.meta.url);
/** The browser bundles of the viewer and of the highlighter of samples. */
const viewer = (): URL => new URL(import.meta.resolve("redoc/bundles/redoc.standalone.js"));
const highlighter = (): URL => new URL(import.meta.resolve("@highlightjs/cdn-assets/highlight.min.js"));

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

const text = "text/plain; charset=utf-8";
const markdown = "text/markdown; charset=utf-8";

/** Text that a browser shows, and nothing that it loads. */
const plain = (type: string, write: () => Promise<string>): Source => ({
  type,
  policy: "default-src 'none'",
  read: async () => Buffer.from(await write()),
});

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
  "/docs/highlight.js": file(highlighter(), javascript),
  ...Object.fromEntries(
    guideNames.flatMap((name) => [
      [guidePath(name), page(guidePolicy, () => renderGuide(name, offered))],
      [`${guidePath(name)}.md`, plain(markdown, () => guideMarkdown(name))],
    ]),
  ),
  "/llms.txt": plain(text, () => llmsText(offered)),
});

/** The pages and files by path. */
const sources = (offered: Offered): Readonly<Record<string, Source>> => ({
  ...Object.fromEntries(
    offered.flatMap((name) => [
      [documents[name].page, page(viewerPolicy, () => renderReference(name, offered))],
      [`${documents[name].page}.md`, plain(markdown, () => referenceMarkdown(name))],
    ]),
  ),
  ...viewerFiles,
  ...(offered.includes("public") && guides(offered)),
});

const brotli = promisify(brotliCompress);

/** Encoders by content coding, the preferred one first. */
const encoders = {
  br: (plain: Buffer): Promise<Buffer> => brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
} as const;
type Coding = keyof typeof encoders;
const codings = Object.keys(encoders) as Coding[];

interface Page {
  readonly type: string;
  readonly policy: string;
  readonly tag: string;
  readonly plain: Buffer;
  readonly compressed: Readonly<Record<Coding, Buffer>>;
}

async function load({ type, policy, read }: Source): Promise<Page> {
  const plain = await read();
  const tag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  const [br, gzip] = await Promise.all([encoders.br(plain), encoders.gzip(plain)]);
  return { type, policy, tag, plain, compressed: { br, gzip } };
}

/** Reads, renders and compresses a source once, on the first request. */
function serve(source: Source): Handler {
  let loaded: Promise<Page> | undefined;
  return async (request, response) => {
    loaded ??= load(source);
    const { type, policy, tag, plain, compressed } = await loaded;
    const headers = responseHeaders(request, response);
    headers.push("etag", tag, "cache-control", "public, max-age=300", "vary", "accept, accept-encoding");
    headers.push("content-security-policy", policy, "referrer-policy", "no-referrer");
    if (request.headers["if-none-match"] === tag) {
      response.writeHead(304, headers).end();
      return;
    }
    const coding = codings.find((one) => request.acceptsEncodings(one) === one);
    const body = coding === undefined ? plain : compressed[coding];
    if (coding !== undefined) headers.push("content-encoding", coding);
    headers.push("content-type", type, "content-length", String(body.length));
    response.writeHead(200, headers).end(body);
  };
}

/**
 * The offered OpenAPI documents; `/docs` and `/docs/admin`, which render them in the browser; and,
 * with the public API's, the guides. Each page is also there as Markdown, at its path with `.md`,
 * and `/llms.txt` lists them.
 */
export function reference(offered: Offered): Readonly<Record<string, Handler>> {
  const forPrograms = offered.map((name): [string, Handler] => [documents[name].path, openApi(name)]);
  const forPeople = Object.entries(sources(offered)).map(([path, source]): [string, Handler] => [path, serve(source)]);
  return Object.fromEntries([...forPrograms, ...forPeople]);
}
