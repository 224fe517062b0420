import { readFile } from "node:fs/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type ErrorShape, errorBody } from "@uag/contract/errors/shapes";
import { errorTable } from "@uag/contract/errors/table";
import { Marked, type Tokens } from "marked";
import { type DocumentName, documentNames, documents } from "./documents.ts";

/** The guides in display order, each with its link text. */
export const guideTitles = {
  home: "Documentation",
  quickstart: "Quickstart",
  errors: "Errors",
  clients: "Clients",
  fields: "Fields by provider",
  limits: "Limits and headers",
  envelopes: "Envelopes for agents",
  idempotency: "Idempotency",
  responses: "Stored responses",
  video: "Video and webhooks",
  batches: "Batches",
  mcp: "MCP",
  moving: "Moving here",
} as const;

export type GuideName = keyof typeof guideTitles;

/** Every guide's name. */
export const guideNames = Object.keys(guideTitles) as readonly GuideName[];

/** Where a guide is served. */
export const guidePath = (name: GuideName): string => (name === "home" ? "/docs" : `/docs/guides/${name}`);

/** A code that no client sees: it has disconnected by then. */
const unseen = "client_closed_request";

/** A Markdown table of every code in the contract. */
function codeTable(): string {
  const rows = Object.entries(errorTable)
    .filter(([code]) => code !== unseen)
    .map(([code, { http, retryable, text, remedy }]) => {
      const retry = retryable === true ? "retry" : "do not retry";
      return `| \`${code}\` | ${http} | ${retry} | ${text.replaceAll("<", "&lt;")} **${remedy}** |`;
    });
  return ["| Code | Status | As it is | What to do |", "|---|---|---|---|", ...rows].join("\n");
}

/** A refusal as the client receives it, in a fenced block. */
function shape(errorShape: ErrorShape): string {
  const error = new GatewayError("invalid_request", "temperature: must be at most 2.", { param: "temperature" });
  const body = errorBody(errorShape, { error, requestId: "0199f0c2-6d0e-7d62-9c1f-0d5a3c1b7e44" });
  return `\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\``;
}

/** Generated parts of the guides: `{{name}}` on a line of its own. */
const parts: Readonly<Record<string, () => string>> = {
  error_table: codeTable,
  error_nested: () => shape("nested"),
  error_native: () => shape("native"),
  error_flat: () => shape("flat"),
  error_google: () => shape("google"),
};

const anchor = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }: Tokens.Heading): string {
      return `<h${depth} id="${anchor(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
});

/**
 * The origin in samples. On pages, `guides.js` replaces it with the page's own, as the reference
 * does.
 */
const exampleOrigin = "http://127.0.0.1:8080";

interface Link {
  readonly href: string;
  readonly title: string;
}

/** The navigation links: the guides, which belong to the public reference, and the references offered here. */
function linksOf(offered: readonly DocumentName[]): Link[] {
  const references = documentNames
    .filter((name) => offered.includes(name))
    .map((name) => ({ href: documents[name].page, title: documents[name].title }));
  if (!offered.includes("public")) return references;
  const guides = guideNames.map((name) => ({ href: guidePath(name), title: guideTitles[name] }));
  return [...guides, ...references];
}

const here = (isHere: boolean): string => (isHere ? ' aria-current="page"' : "");

/** Renders the page of a reference, with links to everything else the server offers. */
export async function renderReference(name: DocumentName, offered: readonly DocumentName[]): Promise<string> {
  const source = await readFile(new URL("page.html", import.meta.url), "utf8");
  const { page, path, title } = documents[name];
  const links = linksOf(offered).map((link) => `<a href="${link.href}"${here(link.href === page)}>${link.title}</a>`);
  return source
    .replace("{{links}}", links.join("\n      "))
    .replaceAll("{{title}}", title)
    .replaceAll("{{document}}", path);
}

function page(name: GuideName, article: string, offered: readonly DocumentName[]): string {
  const items = linksOf(offered).map(
    ({ href, title }) => `<li><a href="${href}"${here(href === guidePath(name))}>${title}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/guides.css">
    <script src="/docs/highlight.js" defer></script>
    <script src="/docs/guides.js" defer></script>
    <title>${guideTitles[name]} · Unified AI Gateway</title>
  </head>
  <body>
    <nav aria-label="Documentation">
      <ul>${items.join("")}</ul>
      <a class="console" href="/console">Open the console</a>
    </nav>
    <main>${article}</main>
  </body>
</html>
`;
}

/** A guide's Markdown with its generated parts. @throws when it names an unknown part */
async function filledGuide(name: GuideName): Promise<string> {
  const source = await readFile(new URL(`guides/${name}.md`, import.meta.url), "utf8");
  return source.replaceAll(/^\{\{(\w+)\}\}$/gm, (_, part: string) => {
    const make = parts[part];
    if (make === undefined) throw new Error(`guides/${name}.md: unknown part ${part}`);
    return make();
  });
}

/** Renders a guide as a page. */
export async function renderGuide(name: GuideName, offered: readonly DocumentName[]): Promise<string> {
  const article = await markdown.parse(await filledGuide(name));
  return page(name, article.replaceAll("{{base_url}}", `<span class="base-url">${exampleOrigin}</span>`), offered);
}

/** What a test of the samples expects of each, after a fence's language. */
const expectation = /^(```\w+) expect=.*$/gm;

/** A guide as Markdown, for programs that read the documentation. */
export async function guideMarkdown(name: GuideName): Promise<string> {
  const source = (await filledGuide(name)).replaceAll(expectation, "$1").replaceAll("{{base_url}}", exampleOrigin);
  return source.replaceAll(/\]\((\/docs\/guides\/[a-z]+)/g, "]($1.md");
}
