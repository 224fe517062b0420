import { readFile } from "node:fs/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type ErrorShape, errorBody } from "@uag/contract/errors/shapes";
import { errorTable } from "@uag/contract/errors/table";
import { Marked, type Tokens } from "marked";
import { type DocumentName, documentNames, documents } from "./documents.ts";

/** The guides in display order: the name in `/docs/guides/<name>`, and its link text. */
const titles = {
  errors: "Errors",
  clients: "Clients",
  fields: "Fields by provider",
  limits: "Limits and headers",
  idempotency: "Idempotency",
  video: "Video and webhooks",
  mcp: "MCP",
  moving: "Moving here",
} as const;

export type GuideName = keyof typeof titles;

/** Every guide's name. */
export const guideNames = Object.keys(titles) as readonly GuideName[];

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
 * `guides.js` replaces it with the page's own origin, as the reference does; without scripts this
 * one is shown.
 */
const baseUrl = '<span class="base-url">http://127.0.0.1:8080</span>';

interface Link {
  readonly href: string;
  readonly title: string;
  readonly isReference: boolean;
}

/** The navigation links: the references offered here, and the public reference's guides. */
function linksOf(offered: readonly DocumentName[]): Link[] {
  const references = documentNames
    .filter((name) => offered.includes(name))
    .map((name) => ({ href: documents[name].page, title: documents[name].title, isReference: true }));
  if (!offered.includes("public")) return references;
  const guides = guideNames.map((name) => ({ href: `/docs/guides/${name}`, title: titles[name], isReference: false }));
  return [...references, ...guides];
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
  const links = linksOf(offered);
  const references = links
    .filter(({ isReference }) => isReference)
    .map(({ href, title }) => `<a class="reference" href="${href}">${title}</a>`);
  const guides = links
    .filter(({ isReference }) => !isReference)
    .map(({ href, title }) => `<li><a href="${href}"${here(href === `/docs/guides/${name}`)}>${title}</a></li>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/guides.css">
    <script src="/docs/guides.js" defer></script>
    <title>${titles[name]} · Unified AI Gateway</title>
  </head>
  <body>
    <nav aria-label="Guides">
      ${references.join("\n      ")}
      <ul>${guides.join("")}</ul>
    </nav>
    <main>${article}</main>
  </body>
</html>
`;
}

/** Renders a guide as a page. @throws when its Markdown names an unknown part */
export async function renderGuide(name: GuideName, offered: readonly DocumentName[]): Promise<string> {
  const source = await readFile(new URL(`guides/${name}.md`, import.meta.url), "utf8");
  const filled = source.replaceAll(/^\{\{(\w+)\}\}$/gm, (_, part: string) => {
    const make = parts[part];
    if (make === undefined) throw new Error(`guides/${name}.md: unknown part ${part}`);
    return make();
  });
  const article = await markdown.parse(filled);
  return page(name, article.replaceAll("{{base_url}}", baseUrl), offered);
}
