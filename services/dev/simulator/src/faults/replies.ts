import type { Call, Protocol, Reply } from "../http/types.ts";
import type { Faults } from "./catalogue.ts";
import { errorInside } from "./events.ts";

const proxyPage =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n" +
  "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n";

function retryHeaders(faults: Faults): Record<string, string> {
  const headers: Record<string, string> = {};
  const { "retry-after": seconds, "retry-date": date, "retry-ms": ms } = faults;
  if (seconds !== undefined) headers["retry-after"] = String(seconds);
  if (date !== undefined) headers["retry-after"] = new Date(Date.now() + date * 1000).toUTCString();
  if (ms !== undefined) headers["retry-after-ms"] = String(ms);
  return headers;
}

function bytesReply(status: number, contentType: string, text: string, faults: Faults): Reply {
  return { type: "bytes", status, contentType, bytes: Buffer.from(text), headers: retryHeaders(faults) };
}

function okWithError(protocol: Protocol, faults: Faults, streams: boolean): Reply {
  const { framing = "sse" } = protocol;
  if (streams) return { type: "events", framing, events: [errorInside(protocol, faults)] };
  const reply = protocol.error({ status: faults["error-status"] ?? 500, quota: faults.quota !== undefined });
  return { ...reply, status: 200 };
}

/** The response that a fault substitutes for the operation's own; undefined if none does. */
export function replyByFault(call: Call, protocol: Protocol, streams: boolean): Reply | undefined {
  const { faults } = call;
  if (faults.html !== undefined) return bytesReply(faults.html, "text/html", proxyPage, faults);
  if (faults["leak-key"] !== undefined) {
    return protocol.error({ status: 400, message: `Request with credential ${call.credential} could not be served` });
  }
  if (faults.status !== undefined) {
    const retrySeconds = faults["retry-after"];
    const reply = protocol.error({ status: faults.status, quota: faults.quota !== undefined, retrySeconds });
    return { ...reply, headers: { ...reply.headers, ...retryHeaders(faults) } };
  }
  if (faults["ok-error"] !== undefined) return okWithError(protocol, faults, streams);
  const type = streams ? "text/event-stream" : "application/json";
  if (faults.garbage !== undefined)
    return bytesReply(200, type, "\u0000\u0007<garbage} not json, not events\u0000", faults);
  if (faults["empty-body"] !== undefined) return bytesReply(200, type, "", faults);
  return undefined;
}

/** An error body under status 200 that still reports the usage of a response. */
export function errorWithUsage(reply: Reply, protocol: Protocol): Reply {
  if (reply.type !== "json" || reply.status !== 200 || reply.usage === undefined) return reply;
  const [member] = Object.entries(reply.body as object).find(([, value]) => value === reply.usage) ?? [];
  if (member === undefined) return reply;
  const { requestIdFields: _, ...rest } = reply;
  const error = protocol.error({ status: 500 }).body as object;
  return { ...rest, body: { ...error, [member]: reply.usage } };
}
