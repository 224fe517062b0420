type Vendor = "OpenAI" | "Anthropic";

/** A path, whose API it belongs to, what it is for, and what to use instead: a sentence. */
type Row = readonly [path: string, vendor: Vendor, what: string, instead?: string];

const useChat = "Use POST /v1/chat/completions.";
const useResponses = "Use POST /v1/responses.";
const sendHistory = "Send the conversation's earlier messages with each request.";
const sendFiles = "Send files within the request, in base64 or by URL.";

/**
 * Endpoints of OpenAI's and Anthropic's APIs that this gateway does not have, each with the paths
 * below it; a path that ends in `/*` covers these alone.
 * https://platform.openai.com/docs/api-reference https://docs.anthropic.com/en/api
 */
const rows: readonly Row[] = [
  ["/v1/assistants", "OpenAI", "assistants", useResponses],
  ["/v1/chat/completions/*", "OpenAI", "stored chat completions", sendHistory],
  ["/v1/containers", "OpenAI", "containers"],
  ["/v1/conversations", "OpenAI", "conversations", sendHistory],
  ["/v1/edits", "OpenAI", "text edits", useChat],
  ["/v1/engines", "OpenAI", "engines", "Use GET /v1/models."],
  ["/v1/evals", "OpenAI", "evaluations"],
  ["/v1/fine_tuning", "OpenAI", "fine-tuning"],
  ["/v1/images/variations", "OpenAI", "image variations", "Use POST /v1/images/edits."],
  ["/v1/organization", "OpenAI", "organization administration"],
  ["/v1/realtime", "OpenAI", "realtime sessions", "Use POST /v1/chat/completions with stream: true."],
  ["/v1/responses/*", "OpenAI", "compacted responses", sendHistory],
  ["/v1/threads", "OpenAI", "threads", useResponses],
  ["/v1/uploads", "OpenAI", "uploads", sendFiles],
  ["/v1/vector_stores", "OpenAI", "vector stores"],
  ["/v1/videos", "OpenAI", "videos", "Use POST /v1/videos/generations."],
  ["/v1/complete", "Anthropic", "legacy text completions", "Use POST /v1/messages."],
  ["/v1/organizations", "Anthropic", "organization administration"],
  ["/v1/skills", "Anthropic", "skills"],
];

const texts: ReadonlyMap<string, string> = new Map(
  rows.map(([path, vendor, what, instead]) => [
    path,
    [`This gateway does not offer ${vendor}'s endpoint for ${what}.`, instead].filter(Boolean).join(" "),
  ]),
);

/** The number of segments of the longest known path. */
const maxSegments = 3;

/**
 * States that a path is OpenAI's or Anthropic's and not offered here, and what to use instead;
 * undefined for any other path.
 * @param path without the query
 */
export function notOfferedText(path: string): string | undefined {
  const segments = path.split("/", maxSegments + 2).slice(1);
  for (let count = Math.min(segments.length, maxSegments); count > 1; count--) {
    const prefix = `/${segments.slice(0, count).join("/")}`;
    const text = texts.get(prefix) ?? (count < segments.length ? texts.get(`${prefix}/*`) : undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}
