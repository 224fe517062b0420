import { modelOperations, routes } from "@uag/contract/routes";
import { openApiDocument } from "@uag/router/openapi/document";
import { examples } from "@uag/router/openapi/examples/examples";
import { square } from "@uag/router/openapi/examples/square";
import { operations } from "@uag/router/openapi/operations";

interface Node {
  readonly $ref?: string;
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
}
interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
}

const [publicSchemas, adminSchemas] = (["public", "admin"] as const).map(
  (name) => (openApiDocument(name) as unknown as Document).components.schemas,
);
const schemas: Document["components"]["schemas"] = { ...publicSchemas, ...adminSchemas };

/**
 * A valid body in which one optional property, at any depth, is null; and the same body without it.
 */
export interface Nulled {
  readonly at: string;
  readonly body: unknown;
  readonly without: unknown;
}

/**
 * Every such body that the schemas of the OpenAPI documents allow to be derived from a valid body,
 * each place once.
 */
export function nulledBodies(name: string, good: object): Nulled[] {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`the documents have no schema ${name}`);
  return [...new Map([...nulled(schema, good, name)].map((each) => [each.at, each])).values()];
}

function* nulled(node: Node, good: unknown, at: string): Generator<Nulled> {
  for (const one of node.anyOf ?? []) yield* nulled(one, good, at);
  if (Array.isArray(good)) {
    for (const [place, item] of good.entries())
      for (const inner of nulled(node.items ?? {}, item, `${at}[${place}]`))
        yield within(inner, (value) => good.with(place, value));
  } else if (typeof good === "object" && good !== null) {
    for (const [name, property] of Object.entries(node.properties ?? {})) {
      const { [name]: value, ...others } = good as Record<string, unknown>;
      const here = `${at}.${name}`;
      if (node.required?.includes(name) !== true) yield { at: here, body: { ...good, [name]: null }, without: others };
      for (const inner of nulled(property, value, here))
        yield within(inner, (changed) => ({ ...good, [name]: changed }));
    }
  }
}

function within({ at, body, without }: Nulled, put: (value: unknown) => unknown): Nulled {
  return { at, body: put(body), without: put(without) };
}

const picture = "https://example.com/boat.png";
const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
const schema = { type: "object", properties: { a: { type: "string" } } };
const chat = {
  messages: [
    { role: "user", name: "u", content: [{ type: "text", text: "Hi" }] },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c", content: "r" },
  ],
  tools: [{ type: "function", function: { name: "f", parameters: schema } }],
  tool_choice: "f",
  response_format: { type: "json_object" },
  stream: true,
  stream_options: { include_usage: true },
  max_tokens: 50,
};
const responses = {
  instructions: "Be kind.",
  input: [
    { type: "message", role: "user", content: [{ type: "input_text", text: "Hi, as JSON" }] },
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "gAAAAABeA" },
    { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "r" },
  ],
  tools: [{ type: "function", name: "f", parameters: schema }],
  tool_choice: { type: "function", name: "f" },
  text: { format: { type: "json_object" } },
  stream: true,
  max_output_tokens: 50,
};
const messages = {
  max_tokens: 2_000,
  system: [{ type: "text", text: "Be kind." }],
  ...user([{ type: "text", text: "Hi" }]),
  tools: [{ name: "f", input_schema: schema }],
};

const generated = {
  systemInstruction: { role: "user", parts: [{ text: "Be kind." }] },
  contents: [
    { role: "user", parts: [{ text: "Hi" }, { inlineData: { mimeType: "image/png", data: square } }] },
    { role: "model", parts: [{ functionCall: { id: "c1", name: "f", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { id: "c1", name: "f", response: {} } }] },
  ],
  tools: [{ functionDeclarations: [{ name: "f", description: "d", parametersJsonSchema: schema }] }],
  toolConfig: { functionCallingConfig: { mode: "AUTO" } },
  generationConfig: { maxOutputTokens: 50, temperature: 1, topP: 0.9, stopSequences: ["END"] },
};

const embedded = {
  content: { role: "user", parts: [{ text: "Hi" }] },
  taskType: "RETRIEVAL_QUERY",
  outputDimensionality: 256,
};

type GoodBody = readonly [path: string, schema: string, good: object];

/** Bodies with members that the reference's examples lack. */
const richBodies: readonly GoodBody[] = [
  ...["gpt-4o-mini", "claude-haiku-4-5", "gemini-2.5-flash"].flatMap((model) => [
    ["/v1/chat/completions", "ChatCompletionRequest", { model, ...chat }] as const,
    ["/v1/responses", "ResponseRequest", { model, ...responses }] as const,
    ["/v1/messages", "MessageRequest", { model, ...messages }] as const,
  ]),
  ...["claude-haiku-4-5", "gemini-2.5-flash"].map(
    (model) => [`/v1beta/models/${model}:generateContent`, "GenerateContentRequest", generated] as const,
  ),
  ["/v1/models/gpt-4o-mini:countTokens", "CountTokensRequest", { generateContentRequest: generated }],
  ["/v1beta/models/gemini-embedding-001:embedContent", "EmbedContentRequest", embedded],
  ["/v1/models/voyage-4-lite:batchEmbedContents", "BatchEmbedContentsRequest", { requests: [embedded] }],
  ["/v1/responses/input_tokens", "InputTokensRequest", { model: "gpt-4o-mini", ...responses }],
  ["/v1/messages/count_tokens", "TokenCountRequest", { model: "claude-haiku-4-5", ...messages }],
  [
    "/v1/images/generations",
    "AlphaImageRequest",
    { model: "alpha-image-2.0", input: user([{ text: "a cat" }]), parameters: { size: "1280*720" } },
  ],
  ["/v1/images/generations", "GammaImageRequest", { model: "gamma-image-1", prompt: "a cat" }],
  ["/v1/images/generations", "SeedreamImageRequest", { model: "seedream-4-0", prompt: "a cat" }],
  ["/v1/images/generations", "GrokImageRequest", { model: "grok-imagine-image", prompt: "a cat" }],
  ["/v1/images/generations", "GeminiImageRequest", { model: "gemini-2.5-flash-image", prompt: "a cat" }],
  [
    "/v1/videos/generations",
    "WanVideoRequest",
    { model: "beta2.6-t2v", duration: 5, resolution: "720p", input: { prompt: "a cat" }, parameters: { duration: 5 } },
  ],
  [
    "/v1/videos/generations",
    "WanVideoRequest",
    {
      model: "beta2.7-r2v",
      duration: 5,
      input: { prompt: "a cat", media: [{ type: "reference_image", url: picture }] },
      parameters: {},
    },
  ],
  [
    "/v1/videos/generations",
    "SeedanceVideoRequest",
    {
      model: "seedance-1-0-pro",
      content: [
        { type: "text", text: "a cat" },
        { type: "image_url", image_url: { url: picture } },
      ],
      duration: 5,
    },
  ],
  ["/v1/videos/generations", "GrokVideoRequest", { model: "grok-imagine-video", prompt: "a cat" }],
  ["/admin/v1/accounts", "AdminAccountCreatedRequest", {}],
  ["/admin/v1/keys", "AdminKeyCreatedRequest", {}],
  ["/admin/v1/tokens", "AdminTokenCreatedRequest", { name: "t" }],
  ["/admin/v1/ledger/repair", "AdminLedgerRepairRequest", { all: true }],
];

const richPaths = new Set(richBodies.map(([path]) => path));

/**
 * Valid bodies of every operation that takes JSON, by path and by the kind of schema in the
 * document: the first example of the reference where no richer one is listed.
 */
export const goodBodies: readonly GoodBody[] = [
  ...richBodies,
  ...modelOperations.flatMap((name): GoodBody[] => {
    const route = routes.find((one) => "operation" in one && one.operation === name);
    if (route?.body !== "json" || richPaths.has(route.path)) return [];
    const [schema = ""] = Object.keys(operations[name]?.request ?? {});
    const good = examples.find(({ operation }) => operation === name)?.body;
    if (good === undefined) throw new Error(`the reference has no example of ${name} with a body`);
    return [[route.path, schema, good]];
  }),
];
