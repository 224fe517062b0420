import { filledPath } from "@uag/contract/routes";
import { waitFor } from "@uag/harness/testing/wait-for";
import type { Run } from "@uag/local/run-file";
import { shownBaseUrl } from "@uag/router/openapi/examples/code-samples";
import { Shown } from "@uag/router/openapi/examples/shown";
import type { Call, ExampleResponse, Json, Recorded, Sent } from "@uag/router/openapi/examples/types";
import { allRoutes, nameOf } from "@uag/router/openapi/routes";

export interface Recorder {
  /** Sends and records examples; those of the public API with a key. */
  callWith(key: string): Call;
  /** Sends a request, until its response satisfies `sent.until` if that is set; records nothing. */
  send(operation: string, sent: Sent, key?: string): Promise<Json>;
  readonly recorded: readonly Recorded[];
}

const waitMs = 60_000;

/**
 * @param options.names replacements for addresses of this machine
 * @param options.seen receives every response
 */
export function openRecorder(
  { base_url, api_key, admin }: Run,
  { names, seen }: { readonly names: Readonly<Record<string, string>>; seen(came: ExampleResponse): void },
): Recorder {
  const recorded: Recorded[] = [];
  const shown = new Shown({ ...names, [base_url]: shownBaseUrl, [api_key]: "sk-…" });

  async function sendOnce(operation: string, sent: Sent, key: string): Promise<ExampleResponse> {
    const route = allRoutes.find((one) => nameOf(one) === operation);
    if (route === undefined) throw new Error(`unknown operation ${operation}`);
    const { method, path: template } = route;
    const path = filledPath(template, (name) => encodeURIComponent(sent.path?.[name] ?? ""));
    const url = new URL(path, base_url);
    for (const [name, value] of Object.entries(sent.query ?? {})) url.searchParams.set(name, String(value));
    const token = "admin" in route ? admin.token : key;
    const response = await fetch(url, { method, ...contentOf(sent, token) });
    const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
    const came = { method, template, status: response.status, type, text: await response.text() };
    if (!response.ok) throw new Error(`${operation} answered ${came.status}: ${came.text}`);
    return came;
  }

  async function sendUntil(operation: string, sent: Sent, key: string): Promise<ExampleResponse> {
    const { until } = sent;
    if (until === undefined) return sendOnce(operation, sent, key);
    const again = async () => {
      const came = await sendOnce(operation, sent, key);
      return until(JSON.parse(came.text) as Json) ? came : undefined;
    };
    return waitFor(again, { timeoutMs: waitMs, everyMs: 200, what: operation });
  }

  return {
    recorded,
    async send(operation, sent, key = api_key) {
      return JSON.parse((await sendUntil(operation, sent, key)).text) as Json;
    },
    callWith:
      (key) =>
      async (operation, [name, summary], sent = {}) => {
        const came = await sendUntil(operation, sent, key);
        seen(came);
        const { status, type, text } = came;
        const json = type === "application/json" ? (JSON.parse(text) as Json) : {};
        shown.hideSecretsOf(json);
        const value = shown.response(type, type === "application/json" ? json : text);
        const { path, query, body = formValues(sent.form) } = shown.request(sent);
        recorded.push({ operation, name, summary, path, query, body, response: { status, type, value } });
        return json;
      },
  };
}

function contentOf({ body, form }: Sent, token: string): RequestInit {
  const authorization = `Bearer ${token}`;
  if (form === undefined) {
    const headers = { authorization, ...(body !== undefined && { "content-type": "application/json" }) };
    return { headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  }
  const data = new FormData();
  for (const [name, value] of Object.entries(form)) data.append(name, value);
  return { headers: { authorization }, body: data };
}

const formValues = (form: Sent["form"]): Json | undefined =>
  form && Object.fromEntries(Object.entries(form).map(([name, value]) => [name, fileName(value)]));

const fileName = (value: string | File): string => (typeof value === "string" ? value : value.name);
