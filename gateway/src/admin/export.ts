import { once } from "node:events";
import { usageExportQuery } from "@uag/contract/requests/admin-usage";
import type { ExportEventsResponse, ExportedEvent } from "@uag/proto/metering/v1/admin.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { mapInTurns } from "@uag/runtime/pace";
import type { GatewayResponse } from "../request-state.ts";
import { responseHeaders } from "../respond.ts";
import { cutResponse } from "../truncated-response.ts";
import { type AdminCall, type AdminHandler, recordAction } from "./admin.ts";
import { checkedQuery } from "./check.ts";
import { jsonText } from "./json.ts";
import { showEvent } from "./show-usage.ts";
import { filterOf, withTag } from "./usage.ts";

/**
 * Few enough that a page is encoded and decoded, between the processes, in a short turn. With the
 * row that follows, two batches of metering's query.
 */
const rowsAtOnce = 199;
const timeoutMs = 20_000;

interface Format {
  readonly type: string;
  readonly head: string;
  row(event: UsageEvent, cursor: string): string;
}

const columns = [
  "request_id",
  "account_id",
  "key_id",
  "operation",
  "model",
  "upstream",
  "upstream_model",
  "started_at",
  "ended_at",
  "outcome",
  "settlement_rule",
  "pricing",
  "cost_usd",
  "cost_nano_usd",
  "price_version",
  "units",
  "raw_usage",
  "attempts",
  "status",
  "stream",
  "first_byte_ms",
  "trace_id",
  "error_code",
  "client_request_id",
  "provider_request_id",
  "catalog_version",
  "requested_model",
  "fallback_reason",
] as const;

/** A field by RFC 4180; a leading quote keeps spreadsheets from evaluating it as a formula. */
function csvField(value: unknown): string {
  const text = typeof value === "object" && value !== null ? jsonText(value) : String(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const formats: Readonly<Record<"csv" | "ndjson", Format>> = {
  ndjson: {
    type: "application/x-ndjson",
    head: "",
    row: (event, cursor) => `${jsonText({ ...showEvent(event), cursor })}\n`,
  },
  csv: {
    type: "text/csv; charset=utf-8",
    head: `${columns.join(",")},cursor\r\n`,
    row: (event, cursor) => {
      const shown = showEvent(event);
      return `${[...columns.map((column) => shown[column]), cursor].map(csvField).join(",")}\r\n`;
    },
  },
};

/** Writes and waits until the client has read it; false when the client has disconnected. */
async function write(response: GatewayResponse, text: string): Promise<boolean> {
  if (response.destroyed) return false;
  if (text !== "" && !response.write(text)) await Promise.race([once(response, "drain"), once(response, "close")]);
  return !response.destroyed;
}

function begin({ request, response }: AdminCall, name: "csv" | "ndjson"): void {
  const headers = responseHeaders(request, response);
  headers.push("content-type", formats[name].type, "cache-control", "no-store");
  headers.push("content-disposition", `attachment; filename="usage.${name}"`);
  response.writeHead(200, headers);
}

/** The pages of an export. While one is written, the next is read. */
async function* pagesOf(
  first: ExportEventsResponse,
  read: (cursor: string) => Promise<ExportEventsResponse>,
): AsyncGenerator<readonly ExportedEvent[], void, undefined> {
  let { events, nextCursor } = first;
  while (nextCursor !== "") {
    const next = read(nextCursor);
    // It may reject while the page is written, or no longer be wanted.
    next.catch(() => {});
    yield events;
    ({ events, nextCursor } = await next);
  }
  yield events;
}

const rowsOf = async (events: readonly ExportedEvent[], format: Format): Promise<string> =>
  (await mapInTurns(events, ({ event, cursor }) => (event === undefined ? "" : format.row(event, cursor)))).join("");

/**
 * Streams single events, newest first. Every row has the cursor that continues behind it as
 * `after`, so an interrupted export can be resumed; an incomplete one lacks the end of its chunked
 * encoding.
 */
export const exportUsage: AdminHandler = async (call) => {
  const { clients, request, response, url } = call;
  const { format: name, after = "", ...rest } = checkedQuery(usageExportQuery, url);
  // Requests that end during the export are not part of it.
  const filter = await withTag(clients, filterOf({ ...rest, until: rest.until ?? BigInt(Date.now()) }), rest.tag);
  const format = formats[name];
  const read = (cursor: string) =>
    clients.usageAdmin.exportEvents({ filter, page: { limit: rowsAtOnce, cursor } }, { timeoutMs });
  const { account: accountId = "" } = rest;
  const { from, min_cost_usd: minCost, ...others } = rest;
  const times = { from: Number(from ?? 0), until: Number(filter.untilMs) };
  const costs = minCost === undefined ? {} : { min_cost_nano_usd: String(minCost) };
  const requested = { format: name, after, ...others, ...times, ...costs };
  await recordAction(call, { action: "usage.export", targetId: accountId || "usage", accountId, requested });
  const first = await read(after);
  begin(call, name);
  try {
    await write(response, after === "" ? format.head : "");
    for await (const events of pagesOf(first, read)) if (!(await write(response, await rowsOf(events, format)))) break;
    response.end();
  } catch (error) {
    response.locals.failure = error instanceof Error ? error.message : "export failed";
    cutResponse(request, response, { afterReading: false });
  }
  return undefined;
};
