import type { ServerResponse } from "node:http";
import { randomFrom } from "../content/hash.ts";
import type { Faults } from "../faults/catalogue.ts";
import { stalled, withEventFaults } from "../faults/events.ts";
import type { Usage } from "../usage.ts";
import { createFramer } from "./framing.ts";
import { CutByFault, compressedSink, limitedSink, type Sink, type SocketSink, splitSink } from "./sink.ts";
import type { BytesReply, EventsReply, JsonReply, Protocol, Reply, ReplyHeaders, StreamEvent } from "./types.ts";

/** What was sent so far. Counts only what the operating system accepted. */
export interface Delivered {
  status: number;
  stream: boolean;
  chunks: number;
  tokens: number;
  usage: Usage | undefined;
}

export interface Delivery {
  readonly response: ServerResponse;
  readonly socket: SocketSink;
  readonly faults: Faults;
  readonly protocol: Protocol;
  readonly headers: ReplyHeaders;
  readonly digest: string;
  readonly requestId: string;
  readonly delivered: Delivered;
}

const slowPieces = 8;

const streamTypes: Readonly<Record<EventsReply["framing"], string>> = {
  sse: "text/event-stream; charset=utf-8",
  tight: "text/event-stream; charset=utf-8",
  "json-array": "application/json; charset=UTF-8",
  aws: "application/vnd.amazon.eventstream",
};

function withRequestId(event: StreamEvent, requestId: string): StreamEvent {
  if (event.requestIdFields === undefined) return event;
  return { ...event, data: JSON.stringify({ ...JSON.parse(event.data), ...event.requestIdFields(requestId) }) };
}

function bodyOf(reply: JsonReply, requestId: string): unknown {
  if (reply.requestIdFields === undefined || typeof reply.body !== "object") return reply.body;
  return { ...reply.body, ...reply.requestIdFields(requestId) };
}

function merged(earlier: Usage | undefined, later: Usage): Usage {
  const known = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...Object.fromEntries(known) };
}

function bodySink({ socket, faults, digest }: Delivery): Sink {
  let sink: Sink = socket;
  if (faults.reset !== undefined) sink = limitedSink(sink, faults.reset, "reset");
  if (faults.truncate !== undefined) sink = limitedSink(sink, faults.truncate, "close");
  if (faults.split !== undefined) sink = splitSink(sink, faults.split, randomFrom(digest, "split"));
  if (faults.gzip !== undefined) return compressedSink(sink, "gzip");
  return faults.br === undefined ? sink : compressedSink(sink, "br");
}

/** Milliseconds before each piece of a body; undefined when it is sent at once. */
function pieceIntervalMs({ faults }: Delivery, reply: Reply): number | undefined {
  return faults.slow ?? (reply.type === "bytes" ? reply.slow : undefined);
}

function writeHead(delivery: Delivery, reply: Reply, contentType: string, length?: number): void {
  const { response, socket, faults, headers, delivered } = delivery;
  socket.assertOpen();
  const compressed = faults.gzip !== undefined || faults.br !== undefined;
  delivered.status = reply.type === "events" ? 200 : reply.status;
  delivered.stream = reply.type === "events";
  response.writeHead(delivered.status, {
    ...headers,
    ...reply.headers,
    "content-type": faults["content-type"] ?? contentType,
    ...(compressed && { "content-encoding": faults.gzip === undefined ? "br" : "gzip" }),
    ...(length !== undefined && !compressed && { "content-length": String(length) }),
  });
  if (reply.type === "events" || pieceIntervalMs(delivery, reply) !== undefined) response.flushHeaders();
}

async function deliverBytes(delivery: Delivery, reply: JsonReply | BytesReply): Promise<void> {
  const { socket, delivered } = delivery;
  const isJson = reply.type === "json";
  const bytes = isJson ? Buffer.from(JSON.stringify(bodyOf(reply, delivery.requestId))) : reply.bytes;
  writeHead(delivery, reply, isJson ? "application/json" : reply.contentType, bytes.length);
  const sink = bodySink(delivery);
  const wait = pieceIntervalMs(delivery, reply);
  const size = wait === undefined ? bytes.length : Math.ceil(bytes.length / slowPieces);
  for (let at = 0; at < bytes.length; at += size) {
    if (wait !== undefined) await socket.pause(wait);
    await sink.write(bytes.subarray(at, at + size));
  }
  delivered.tokens = isJson ? (reply.tokens ?? 0) : 0;
  delivered.usage = reply.usage;
  await sink.end();
}

async function deliverEvents(delivery: Delivery, reply: EventsReply): Promise<void> {
  const { socket, faults, protocol, delivered } = delivery;
  writeHead(delivery, reply, streamTypes[reply.framing]);
  const sink = bodySink(delivery);
  const framer = createFramer(reply.framing, faults);
  const atOnce = Math.max(1, faults.join ?? 1);
  let waiting: StreamEvent[] = [];

  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = [];
    await sink.write(Buffer.concat(batch.map((event) => Buffer.from(framer.frame(event)))));
    for (const event of batch) {
      delivered.chunks++;
      delivered.tokens += event.tokens ?? 0;
      if (event.usage !== undefined) delivered.usage = merged(delivered.usage, event.usage);
    }
  }

  try {
    for (const event of withEventFaults(reply.events, faults, protocol)) {
      if (event === stalled) {
        await flush();
        await socket.pause(Number.POSITIVE_INFINITY);
        continue;
      }
      if (faults.slow !== undefined) await socket.pause(faults.slow);
      waiting.push(withRequestId(event, delivery.requestId));
      if (waiting.length >= atOnce) await flush();
    }
  } catch (cause) {
    if (cause instanceof CutByFault && waiting.length > 0) await flush();
    if (cause instanceof CutByFault && cause.how === "end") await sink.end();
    throw cause;
  }
  await flush();
  await sink.write(Buffer.from(framer.end));
  await sink.end();
}

/**
 * Sends a reply as modified by the faults. Throws CutByFault or ClientGone when it is not sent
 * completely.
 */
export async function deliver(delivery: Delivery, reply: Reply): Promise<void> {
  const { socket, faults } = delivery;
  if (faults.latency !== undefined) await socket.pause(faults.latency);
  if (faults.hang !== undefined) await socket.pause(Number.POSITIVE_INFINITY);
  if (faults.reset === 0) throw new CutByFault("reset");
  if (reply.type === "events") return deliverEvents(delivery, reply);
  return deliverBytes(delivery, reply);
}
