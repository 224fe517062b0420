import { filledPath } from "@uag/contract/routes";
import { type AnyRoute, nameOf } from "../routes.ts";
import { examples } from "./examples.ts";
import { pythonLiteral } from "./python-literal.ts";
import type { Json, Recorded } from "./types.ts";

/** The page replaces it by the address under which it was loaded. */
export const shownBaseUrl = "http://127.0.0.1:8080";

/** A program in one language, in the format of OpenAPI viewers (`x-codeSamples`). */
export interface CodeSample {
  readonly lang: "shell" | "javascript" | "python";
  readonly label: string;
  readonly source: string;
}

/** The request of a sample, and what happens to the response. */
interface Call {
  readonly method: string;
  readonly url: string;
  /** The environment variable that contains the token. */
  readonly token: string;
  readonly body: Json | undefined;
  /** Names of fields that are files; the body is then a form. */
  readonly files: readonly string[] | undefined;
  /** File for audio; text is printed. */
  readonly saved: string | undefined;
  readonly isJson: boolean;
}

/** The first example of an operation, as programs that run unchanged. */
export function codeSamples(route: AnyRoute): readonly CodeSample[] {
  const example = examples.find(({ operation }) => operation === nameOf(route));
  if (example === undefined) return [];
  const call = callOf(route, example);
  return [
    { lang: "shell", label: "curl", source: shell(call) },
    { lang: "javascript", label: "JavaScript", source: javascript(call) },
    { lang: "python", label: "Python", source: python(call) },
  ];
}

function callOf(route: AnyRoute, { path, query = {}, body, response }: Recorded): Call {
  const url = new URL(
    filledPath(route.path, (name) => encodeURIComponent(String(path?.[name]))),
    shownBaseUrl,
  );
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const isForm = route.body === "multipart" || route.body === "upload";
  return {
    method: route.method,
    url: url.href,
    token: "admin" in route ? "ADMIN_TOKEN" : "API_KEY",
    body,
    files: isForm ? Object.keys(body ?? {}).filter((name) => typeOf(String(body?.[name])) !== undefined) : undefined,
    saved: response.type.startsWith("audio/") ? `speech.${response.type.slice("audio/".length)}` : undefined,
    isJson: response.type === "application/json",
  };
}

const fileTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  wav: "audio/wav",
  txt: "text/plain",
  jsonl: "application/jsonl",
};

/** The media type of a file of an example; undefined for a text. */
const typeOf = (value: string): string | undefined => fileTypes[/^\w+\.(\w+)$/.exec(value)?.[1] ?? ""];

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function shell({ method, url, token, body, files, saved }: Call): string {
  const isPlain = method === (body === undefined ? "GET" : "POST");
  const lines = [`curl ${isPlain ? "" : `-X ${method} `}${/[?&]/.test(url) ? quoted(url) : url}`];
  lines.push(`-H "Authorization: Bearer $${token}"`);
  for (const [name, value] of Object.entries(files === undefined ? {} : (body ?? {})))
    lines.push(`-F ${quoted(`${name}=${files?.includes(name) ? "@" : ""}${value}`)}`);
  if (files === undefined && body !== undefined)
    lines.push(`-H "Content-Type: application/json"`, `-d ${quoted(JSON.stringify(body, null, 2))}`);
  if (saved !== undefined) lines.push(`--output ${saved}`);
  return lines.join(" \\\n  ");
}

const form = (body: Json | undefined, write: (name: string, value: string) => string): string[] =>
  Object.entries(body ?? {}).map(([name, value]) => write(name, String(value)));

function javascript({ method, url, token, body, files, saved, isJson }: Call): string {
  const isJsonBody = files === undefined && body !== undefined;
  const headers = [`Authorization: \`Bearer \${process.env.${token}}\``];
  if (isJsonBody) headers.push(`"Content-Type": "application/json"`);
  const sent = isJsonBody ? `JSON.stringify(${JSON.stringify(body, null, 2).replaceAll("\n", "\n  ")})` : "form";
  const imports = [
    ...(files === undefined ? [] : ['import { openAsBlob } from "node:fs";']),
    ...(saved === undefined ? [] : ['import { writeFile } from "node:fs/promises";']),
  ];
  const filled = form(files === undefined ? undefined : body, (name, value) =>
    files?.includes(name)
      ? `form.append("${name}", await openAsBlob("${value}", { type: "${typeOf(value)}" }), "${value}");`
      : `form.append("${name}", ${JSON.stringify(value)});`,
  );
  return [
    ...imports,
    ...(imports.length > 0 ? [""] : []),
    ...(files === undefined ? [] : ["const form = new FormData();", ...filled]),
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    `  headers: { ${headers.join(", ")} },`,
    ...(body === undefined ? [] : [`  body: ${sent},`]),
    "});",
    saved === undefined
      ? `console.log(await response.${isJson ? "json" : "text"}());`
      : `await writeFile("${saved}", Buffer.from(await response.arrayBuffer()));`,
  ].join("\n");
}

function python({ method, url, token, body, files, saved, isJson }: Call): string {
  const texts = Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => !files?.includes(name)));
  const opened = (files ?? []).map((name) => `"${name}": open(${JSON.stringify(body?.[name])}, "rb")`);
  const sent = [
    ...(files === undefined && body !== undefined ? [`    json=${pythonLiteral(body, 1)},`] : []),
    ...(files === undefined ? [] : [`    data=${pythonLiteral(texts, 1)},`, `    files={${opened.join(", ")}},`]),
  ];
  return [
    "import os",
    "",
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    `    headers={"Authorization": f"Bearer {os.environ['${token}']}"},`,
    ...sent,
    ")",
    saved === undefined
      ? `print(response.${isJson ? "json()" : "text"})`
      : `with open("${saved}", "wb") as file:\n    file.write(response.content)`,
  ].join("\n");
}
