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

export interface CodeOf {
  /** Where clients reach the gateway. */
  readonly baseUrl: string;
  /** From `/v1` on. */
  readonly path: string;
  readonly body: object;
}

/** The same call as programs make it; the key is taken from the environment. */
export function codeOf({ baseUrl, path, body }: CodeOf): Readonly<Record<"curl" | "JavaScript" | "Python", string>> {
  const short = path.replace(/^\/v1/, "");
  const json = JSON.stringify(body, null, 2);
  return {
    curl: `curl ${baseUrl}${path} \\\n  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\\n  -d ${quoted(json)}`,
    JavaScript: `import OpenAI from "openai";

const openai = new OpenAI({ baseURL: "${baseUrl}/v1", apiKey: process.env.API_KEY });
const answer = await openai.post("${short}", { body: ${json} });
console.log(answer);
`,
    Python: `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["API_KEY"])
answer = client.post("${short}", cast_to=object, body=${python(body)})
print(answer)
`,
  };
}
