import type { Attack } from "./attacks.ts";
import { type AudioForm, audioPieces, formType, longWav } from "./audio-form.ts";
import type { Records } from "./records.ts";
import type { Outcome } from "./send.ts";

/** A small request with the largest response that its path or tool can have. */
export interface LargeResponse extends Pick<Attack, "name" | "path" | "parallel"> {
  readonly method: "GET" | "POST";
  readonly body?: object;
  /** In place of `body`. */
  readonly form?: AudioForm;
  /**
   * `many`: concurrent requests come from several accounts; `administrator`: an administrator;
   * `operator`: one who is signed in to the console; default: one account.
   */
  readonly as?: "many" | "administrator" | "operator" | "anyone";
  /** The expected status; "late" for a response without an end. Default: 200. */
  readonly expects?: Outcome;
  readonly timeoutMs?: number;
  /** Needs the fleet's lists to be full. */
  readonly needsRecords?: boolean;
}

const letters = Array.from({ length: 2_048 }, () => "a");
const openAi = { model: "text-embedding-3-large", input: letters };
const gemini = { model: "text-embedding-004", input: letters };
const words = (count: number): object[] => [{ role: "user", content: `repeat ${count} words` }];
const tool = (name: string, args: object, meta: object = {}): object => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args, _meta: meta },
});
const post = (path: string, name: string, body: object, parallel = 1): LargeResponse => ({
  method: "POST",
  path,
  name,
  body,
  parallel,
});
const upload = (name: string, parallel = 1): LargeResponse => ({
  method: "POST",
  path: "/v1/audio/transcriptions",
  name,
  parallel,
});
const get = (path: string, name: string): LargeResponse => ({ method: "GET", path, name });

const logprobs = { logprobs: true, top_logprobs: 20 };
const chat = "/v1/chat/completions";
const embeddings = "/v1/embeddings";
const images = "/v1/images/generations";
const cat = { model: "gamma-image-1", prompt: "a cat" };

const verbose = { model: "whisper-1", response_format: "verbose_json" };
const largestFile = 26_000_000;

const largeTexts = [
  { role: "user", content: Array.from({ length: 3 }, () => ({ type: "text", text: "a".repeat(9_400_000) })) },
];

/** The largest responses of every kind: each is sent by an account that can pay for it. */
export const largeResponses: readonly LargeResponse[] = [
  post(embeddings, "response: 2,048 vectors as numbers", openAi),
  post(embeddings, "response: 2,048 vectors as base64", { ...openAi, encoding_format: "base64" }),
  post(embeddings, "response: 2,048 vectors of a provider that sends numbers as text", gemini),
  post(embeddings, "response: 2,048 vectors, twelve concurrent requests", openAi, 12),
  post(chat, "response: the longest text", { model: "gpt-4o-mini", messages: words(12_000) }),
  post(chat, "response: 4 texts with log probabilities", {
    model: "gpt-4o-mini",
    n: 4,
    ...logprobs,
    messages: words(10_000),
  }),
  post("/v1/messages", "response: the longest text", {
    model: "claude-sonnet-4-6",
    max_tokens: 60_000,
    messages: words(40_000),
  }),
  post("/v1/responses", "response: the longest text", { model: "gpt-4o-mini", input: words(12_000) }),
  post(images, "response: ten large images as base64", { ...cat, n: 10, size: "1536x1024", quality: "high" }),
  post("/v1/audio/speech", "response: the longest speech", {
    model: "alpha3-tts-flash",
    voice: "Cherry",
    input: "one two three. ".repeat(260),
    response_format: "wav",
  }),
  {
    ...upload("response: the transcript of seven hours, with the time of each word"),
    form: { fields: { ...verbose, "timestamp_granularities[]": "word" }, file: longWav },
  },
  {
    ...upload("burst: twenty files of 25 MB from five accounts", 20),
    form: { fields: verbose, file: () => Buffer.alloc(largestFile, "x") },
    as: "many",
    expects: 400,
  },
  {
    ...post(
      chat,
      "burst: twenty bodies of 28 MB from five accounts",
      { model: "gpt-4o-mini", messages: largeTexts },
      20,
    ),
    as: "many",
    expects: 400,
  },
  {
    ...post(images, "burst: twenty images as base64 from five accounts", { ...cat, n: 10, quality: "high" }, 20),
    as: "many",
  },
  get("/v1/models", "response: every model"),
  get("/v1/dashboard/billing/usage", "response: all usage"),
  post("/mcp", "response: embed, 2,048 vectors", tool("embed", { model: openAi.model, texts: letters })),
  post("/mcp", "response: embed, four concurrent calls", tool("embed", { model: openAi.model, texts: letters }), 4),
  post("/mcp", "response: generate_image, ten images", tool("generate_image", { ...cat, n: 10, size: "1536x1024" })),
  post("/mcp", "response: chat, the longest text", tool("chat", { model: "gpt-4o-mini", messages: words(12_000) })),
  post("/mcp", "response: chat with progress, the longest text", {
    ...tool("chat", { model: "gpt-4o-mini", messages: words(12_000) }, { progressToken: 1 }),
  }),
  post("/mcp", "response: synthesize_speech, the longest", {
    ...tool("synthesize_speech", { model: "alpha3-tts-flash", voice: "Cherry", text: "one two three. ".repeat(260) }),
  }),
  ...["list_models", "list_voices", "get_quota", "get_usage"].flatMap((name) => [
    post("/mcp", `response: ${name}`, tool(name, {})),
    post("/mcp", `response: ${name}, twenty concurrent calls`, tool(name, {}), 20),
  ]),
];

/** The part of a path that is replaced by a hosted file's. */
const assetPath = "/assets/:token";

/** Full pages of the longest lists, and exports, by the path of the admin API. */
const adminLists = {
  "/keys?limit=1000": "a full page of keys",
  "/accounts?limit=1000": "a full page of accounts",
  "/ledger?limit=1000&account=copied": "a full page of ledger entries",
  "/audit-log?limit=1000": "a full page of audit records",
  "/usage?bucket=hour&limit=1000": "a full page of usage",
  "/usage/events?limit=1000": "a full page of usage events",
  "/usage/series?bucket=hour&group_by=key&top=12": "the longest series",
  "/usage/export?format=csv": "export of all usage as CSV",
  "/usage/export?format=ndjson": "export of all usage as JSON",
  "/models": "every model, with prices",
  "/prices": "the price review",
  "/fleet": "the fleet",
} as const;

/** The largest responses whose size depends on what is stored. */
export const storedResponses: readonly LargeResponse[] = [
  get("/v1/videos/generations?limit=100", "response: a full page of videos"),
  { ...get(assetPath, "response: twenty downloads of a hosted image"), parallel: 20, as: "anyone" as const },
  ...Object.entries(adminLists).map(([path, name]) => ({
    ...get(`/admin/v1${path}`, `response: ${name}`),
    as: "administrator" as const,
  })),
  ...Object.entries(adminLists).map(([path, name]) => ({
    ...get(`/console/api/admin/v1${path}`, `response: ${name}, in the console`),
    as: "operator" as const,
  })),
  {
    ...get("/console/api/admin/v1/usage/export?format=csv", "response: eight exports at once, in the console"),
    as: "operator" as const,
    parallel: 8,
  },
  {
    ...get("/console/api/events", "response: forty event streams"),
    as: "operator" as const,
    parallel: 40,
    expects: "late" as const,
    timeoutMs: 5_000,
  },
  {
    ...post("/console/api/session", "burst: two hundred sign-ins", { email: "nobody@example.com", password: "x" }, 200),
    as: "anyone" as const,
    expects: 401,
  },
].map((large) => ({ ...large, needsRecords: true }));

/** The same with the path of a hosted file. */
export const located = (large: LargeResponse, records: Records | undefined): LargeResponse =>
  large.path === assetPath && records !== undefined ? { ...large, path: records.assetPath } : large;

/** The request as it is sent. */
export function attackOf({ name, path, parallel, body, form }: LargeResponse): Attack {
  const sent = { name, path, ...(parallel !== undefined && { parallel }) };
  if (form !== undefined) return { ...sent, headers: { "content-type": formType }, body: () => audioPieces(form) };
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const pieces = body === undefined ? [] : [Buffer.from(JSON.stringify(body))];
  return { ...sent, headers, body: () => pieces };
}
