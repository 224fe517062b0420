import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type DocumentName, documents } from "./documents.ts";
import { guideNames, guidePath, guideTitles } from "./guides.ts";

const operation = z.object({
  summary: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()).default([]),
  /** Those of errors are references: the errors guide describes them. */
  responses: z.record(z.string(), z.object({ description: z.string().optional() })),
  "x-codeSamples": z.array(z.object({ lang: z.string(), source: z.string() })).default([]),
});
const document = z.object({
  info: z.object({ title: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string().default("") })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});
type Operation = z.infer<typeof operation>;

const methods = new Set(["get", "post", "patch", "delete"]);

const lines = (...texts: readonly (string | false | undefined)[]): string => texts.filter(Boolean).join("\n\n");

function operationText(method: string, path: string, { summary, description, ...rest }: Operation): string {
  const sample = rest["x-codeSamples"].find(({ lang }) => lang === "shell");
  const responses = Object.entries(rest.responses).flatMap(([status, { description: about }]) =>
    about === undefined ? [] : [`- ${status}: ${about}`],
  );
  return lines(
    `### ${method.toUpperCase()} ${path}`,
    `${summary}.`,
    description,
    sample && `\`\`\`sh\n${sample.source}\n\`\`\``,
    responses.join("\n"),
  );
}

/** A reference as Markdown; its schemas are in the OpenAPI document. */
export async function referenceMarkdown(name: DocumentName): Promise<string> {
  const { file, path: source } = documents[name];
  const { info, tags, paths } = document.parse(JSON.parse(await readFile(file, "utf8")));
  const operations = Object.entries(paths).flatMap(([path, of]) =>
    Object.entries(of)
      .filter(([method]) => methods.has(method))
      .map(([method, each]) => ({ tags: each.tags, text: operationText(method, path, each) })),
  );
  const sections = tags.map(({ name: tag, description }) =>
    lines(`## ${tag}`, description, ...operations.filter((each) => each.tags.includes(tag)).map(({ text }) => text)),
  );
  return `${lines(`# ${info.title}`, info.description, `Schemas: [${source}](${source})`, ...sections)}\n`;
}

const link = (title: string, path: string, about?: string): string =>
  `- [${title}](${path})${about === undefined ? "" : `: ${about}`}`;

/** The index of the documentation for language models, https://llmstxt.org. */
export async function llmsText(offered: readonly DocumentName[]): Promise<string> {
  const { info } = document.parse(JSON.parse(await readFile(documents.public.file, "utf8")));
  const references = offered.flatMap((name) => [
    link(documents[name].title, `${documents[name].page}.md`, "every endpoint, with a sample request"),
    link(`${documents[name].title}, OpenAPI`, documents[name].path, "all schemas"),
  ]);
  const guides = guideNames.map((name) => link(guideTitles[name], `${guidePath(name)}.md`));
  return `${lines(
    `# ${info.title}`,
    `> ${info.description}`,
    "## Guides",
    guides.join("\n"),
    "## Reference",
    references.join("\n"),
  )}\n`;
}
