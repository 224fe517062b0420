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

const maxDataLength = 200;

/** Pictures in a body are thousands of characters that nobody reads. */
const withoutPictures = (_name: string, value: unknown): unknown =>
  typeof value === "string" && value.startsWith("data:") && value.length > maxDataLength
    ? `${value.slice(0, value.indexOf(",") + 1)}…`
    : value;

/** Apart from its quotes, or a reader of this file would take it for an import of its own. */
const sdk = JSON.stringify("openai");

export interface CodeOf {
  /** Where clients reach the gateway. */
  readonly baseUrl: string;
  /** From `/v1` on. */
  readonly path: string;
  readonly body: object;
  /** Names of files by field: then the call is a form. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

export type Code = Readonly<Record<"curl" | "JavaScript" | "Python", string>>;

function jsonCode({ baseUrl, path, body }: CodeOf): Code {
  const short = path.replace(/^\/v1/, "");
  const json = JSON.stringify(body, withoutPictures, 2);
  return {
    curl: `curl ${baseUrl}${path} \\\n  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\\n  -d ${quoted(json)}`,
    JavaScript: `import OpenAI from ${sdk};

const openai = new OpenAI({ baseURL: "${baseUrl}/v1", apiKey: process.env.API_KEY });
const answer = await openai.post("${short}", { body: ${json} });
console.log(answer);
`,
    Python: `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["API_KEY"])
answer = client.post("${short}", cast_to=object, body=${python(JSON.parse(json))})
print(answer)
`,
  };
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
const answer = await openai.images.edit({
${lines(
  [
    ...fields.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...uploads.map(([name, file]) => `${name}: createReadStream(${JSON.stringify(file)})`),
  ],
  "  ",
)}
});
console.log(answer);
`,
    Python: `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["API_KEY"])
answer = client.images.edit(
${lines(
  [
    ...fields.map(([name, value]) => `${name}=${python(value)}`),
    ...uploads.map(([name, file]) => `${name}=open(${JSON.stringify(file)}, "rb")`),
  ],
  "    ",
)}
)
print(answer)
`,
  };
}

/** The same call as programs make it; the key is taken from the environment. */
export function codeOf(call: CodeOf): Code {
  return call.files === undefined ? jsonCode(call) : editCode(call);
}
