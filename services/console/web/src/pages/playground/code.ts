import { picturesInFiles, readPictures } from "./code-pictures.ts";

/** A JSON value as Python writes it. */
function python(value: unknown, indent = ""): string {
  const inner = `${indent}    `;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map((one) => python(one, indent)).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const rows = Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${python(one, inner)},`);
  return `{\n${rows.join("\n")}\n${indent}}`;
}

/** In single quotes for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Apart from its quotes, or a reader of this file would take it for an import of its own. */
const sdk = JSON.stringify("openai");

export interface CodeOf {
  /** Where clients reach the gateway. */
  readonly baseUrl: string;
  /** From `/v1` on. */
  readonly path: string;
  /** Its model is undefined until the models are loaded. */
  readonly body: { readonly model?: string | undefined; readonly [field: string]: unknown };
  /** Names of files by field: then the call is a form. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** The file that the response is written to; without it the response is printed. */
  readonly saveAs?: string | undefined;
}

export type Code = Readonly<Record<"curl" | "JavaScript" | "Python", string>>;

interface JsonCall {
  readonly baseUrl: string;
  readonly path: string;
  /** The body as JSON, with marks in place of images. */
  readonly json: string;
  readonly hasPictures: boolean;
  readonly isStream: boolean;
  readonly hasTools: boolean;
  readonly saveAs: string | undefined;
}

function curlCode({ baseUrl, path, json, hasPictures, isStream, saveAs }: JsonCall): string {
  const options = `${isStream ? "-N " : ""}${saveAs === undefined ? "" : `--output ${saveAs} `}`;
  const start = `curl ${options}${baseUrl}${path} \\
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\\n`;
  if (!hasPictures) return `${start}  -d ${quoted(json)}`;
  // Images exceed the maximum length of an argument; curl removes the line breaks of base64.
  const text = readPictures(
    json.replaceAll(/[$`]|\\(?!u0000)/g, "\\$&"),
    (prefix, file) => `"${prefix}$(base64 < ${file})"`,
  );
  return `${start}  -d @- <<JSON\n${text}\nJSON`;
}

function javaScriptCode({ baseUrl, path, json, hasPictures, isStream, hasTools, saveAs }: JsonCall): string {
  const body = readPictures(json, (prefix, file) => `\`${prefix}\${readFileSync("${file}", "base64")}\``);
  const fromFs = [hasPictures && "readFileSync", saveAs !== undefined && "writeFileSync"].filter(Boolean);
  const imports = fromFs.length === 0 ? "" : `import { ${fromFs.join(", ")} } from "node:fs";\n`;
  const call = `openai.post("${path.replace(/^\/v1/, "")}", { body: ${body} })`;
  const print = hasTools
    ? "console.log(chunk.choices[0]?.delta)"
    : 'process.stdout.write(chunk.choices[0]?.delta.content ?? "")';
  const main = isStream
    ? `const stream = await openai.chat.completions.create(${body});
for await (const chunk of stream) ${print};`
    : saveAs === undefined
      ? `const response = await ${call};
console.log(response);`
      : `const response = await ${call}.asResponse();
writeFileSync("${saveAs}", Buffer.from(await response.arrayBuffer()));`;
  return `${imports}import OpenAI from ${sdk};

const openai = new OpenAI({ baseURL: "${baseUrl}/v1", apiKey: process.env.API_KEY });
${main}
`;
}

function pythonCode({ baseUrl, path, json, hasPictures, isStream, hasTools, saveAs }: JsonCall): string {
  const body = readPictures(
    python(JSON.parse(json)),
    (prefix, file) => `"${prefix}" + base64.b64encode(open("${file}", "rb").read()).decode()`,
  );
  const post = (type: string): string => `client.post("${path.replace(/^\/v1/, "")}", cast_to=${type}, body=${body})`;
  const print = hasTools ? "chunk.choices[0].delta" : 'chunk.choices[0].delta.content or "", end="", flush=True';
  const main = isStream
    ? `for chunk in client.chat.completions.create(**${body}):
    if chunk.choices:
        print(${print})`
    : saveAs === undefined
      ? `response = ${post("object")}
print(response)`
      : `response = ${post("httpx.Response")}
with open("${saveAs}", "wb") as file:
    file.write(response.content)`;
  const imports = [hasPictures && "import base64", "import os", saveAs !== undefined && "import httpx"].filter(Boolean);
  return `${imports.join("\n")}
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["API_KEY"])
${main}
`;
}

function jsonCode({ baseUrl, path, body, saveAs }: CodeOf): Code {
  const pictures = picturesInFiles(body);
  const json = JSON.stringify(pictures.body, null, 2);
  const call: JsonCall = {
    baseUrl,
    path,
    json,
    hasPictures: pictures.files.length > 0,
    isStream: "stream" in body && body.stream === true,
    hasTools: "tools" in body,
    saveAs,
  };
  return { curl: curlCode(call), JavaScript: javaScriptCode(call), Python: pythonCode(call) };
}

/** The one operation that takes a form: it has a method of its own in the SDKs. */
function editCode({ baseUrl, path, body, files = {} }: CodeOf): Code {
  const fields = Object.entries(body);
  const uploads = Object.entries(files);
  const lines = (rows: readonly string[], indent: string): string => rows.map((row) => `${indent}${row},`).join("\n");
  return {
    curl: [
      `curl ${baseUrl}${path} -H "Authorization: Bearer $API_KEY"`,
      ...fields.map(([name, value]) => `--form-string ${quoted(`${name}=${value}`)}`),
      ...uploads.map(([name, file]) => `-F ${quoted(`${name}=@${file}`)}`),
    ].join(" \\\n  "),
    JavaScript: `import { createReadStream } from "node:fs";
import OpenAI from ${sdk};

const openai = new OpenAI({ baseURL: "${baseUrl}/v1", apiKey: process.env.API_KEY });
const response = await openai.images.edit({
${lines(
  [
    ...fields.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...uploads.map(([name, file]) => `${name}: createReadStream(${JSON.stringify(file)})`),
  ],
  "  ",
)}
});
console.log(response);
`,
    Python: `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["API_KEY"])
response = client.images.edit(
${lines(
  [
    ...fields.map(([name, value]) => `${name}=${python(value)}`),
    ...uploads.map(([name, file]) => `${name}=open(${JSON.stringify(file)}, "rb")`),
  ],
  "    ",
)}
)
print(response)
`,
  };
}

/** The same call as programs make it; the key is taken from the environment. */
export function codeOf(call: CodeOf): Code {
  return call.files === undefined ? jsonCode(call) : editCode(call);
}
