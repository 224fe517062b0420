/**
 * Examples that call the API with a new key, ready to be pasted. Those for the shell are for POSIX
 * shells.
 */
export interface Snippets {
  readonly curl: string;
  readonly openai_javascript: string;
  readonly openai_python: string;
  readonly anthropic_python: string;
  readonly google_curl: string;
  readonly google_javascript: string;
  readonly google_python: string;
  readonly claude_code: string;
  readonly codex: string;
  readonly gemini_cli: string;
  readonly mcp: string;
}

/**
 * The SDKs, apart from their quotes: the check of what this package imports would take them for
 * imports of its own.
 */
const sdk = JSON.stringify("openai");
const googleSdk = JSON.stringify("@google/genai");
const usualModel = "gpt-4o-mini";

/** Quotes a word for a POSIX shell: nothing is special between single quotes. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** A text for JavaScript, Python and TOML, whose basic strings escape as JSON's do. */
const literal = (text: string): string => JSON.stringify(text);

/** The first model that the key names in full; a common one for a key that may use all. */
function modelOf(models: readonly string[]): string {
  return models.find((model) => !model.includes("*")) ?? usualModel;
}

/** @param publicUrl the public base URL of the gateway, without a trailing slash */
export function snippetsOf(publicUrl: string, key: string, models: readonly string[]): Snippets {
  const model = modelOf(models);
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  const authorization = quoted(`authorization: Bearer ${key}`);
  const provider = `{ name = "Gateway", base_url = ${literal(`${publicUrl}/v1`)}, env_key = "API_KEY", wire_api = "responses" }`;
  const contents = JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Hello!" }] }] });
  const generate = `${publicUrl}/v1beta/models/${encodeURIComponent(model)}:generateContent`;
  return {
    curl: `curl ${quoted(`${publicUrl}/v1/chat/completions`)} -H ${authorization} -H 'content-type: application/json' -d ${quoted(body)}`,
    openai_javascript: `import OpenAI from ${sdk};

const openai = new OpenAI({ baseURL: ${literal(`${publicUrl}/v1`)}, apiKey: ${literal(key)} });
const completion = await openai.chat.completions.create({
  model: ${literal(model)},
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(completion.choices[0].message.content);
`,
    openai_python: `from openai import OpenAI

client = OpenAI(base_url=${literal(`${publicUrl}/v1`)}, api_key=${literal(key)})
completion = client.chat.completions.create(
    model=${literal(model)}, messages=[{"role": "user", "content": "Hello!"}]
)
print(completion.choices[0].message.content)
`,
    anthropic_python: `import anthropic

client = anthropic.Anthropic(base_url=${literal(publicUrl)}, auth_token=${literal(key)})
message = client.messages.create(
    model=${literal(model)}, max_tokens=256, messages=[{"role": "user", "content": "Hello!"}]
)
print(message.content[0].text)
`,
    google_curl: `curl ${quoted(generate)} -H ${quoted(`x-goog-api-key: ${key}`)} -H 'content-type: application/json' -d ${quoted(contents)}`,
    google_javascript: `import { GoogleGenAI } from ${googleSdk};

const google = new GoogleGenAI({ apiKey: ${literal(key)}, httpOptions: { baseUrl: ${literal(publicUrl)} } });
const response = await google.models.generateContent({ model: ${literal(model)}, contents: "Hello!" });
console.log(response.text);
`,
    google_python: `from google import genai

client = genai.Client(api_key=${literal(key)}, http_options={"base_url": ${literal(publicUrl)}})
response = client.models.generate_content(model=${literal(model)}, contents="Hello!")
print(response.text)
`,
    mcp: `claude mcp add --transport http gateway ${quoted(`${publicUrl}/mcp`)} --header ${quoted(`Authorization: Bearer ${key}`)}`,
    codex: `API_KEY=${quoted(key)} codex -c model_provider=gateway -c ${quoted(`model=${literal(model)}`)} -c web_search=disabled -c ${quoted(`model_providers.gateway=${provider}`)}`,
    gemini_cli: `GOOGLE_GEMINI_BASE_URL=${quoted(publicUrl)} GEMINI_API_KEY=${quoted(key)} gemini --model ${quoted(model)}`,
    claude_code: `ANTHROPIC_BASE_URL=${quoted(publicUrl)} ANTHROPIC_AUTH_TOKEN=${quoted(key)} claude`,
  };
}
