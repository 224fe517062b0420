import type { IncomingMessage, ServerResponse } from "node:http";
import { hashOf } from "../content/hash.ts";
import { type Charge, chargeOf } from "../log/charge.ts";
import type { Begun } from "../log/entry.ts";
import type { InFlight } from "../log/in-flight.ts";
import type { Outcome } from "../log/outcome.ts";
import { type AttemptContext, type CallResult, callerRequestId, respondTo } from "./attempt.ts";
import { readBody } from "./body.ts";
import { type Delivered, deliver } from "./deliver.ts";
import type { Match } from "./router.ts";
import { ClientGone, CutByFault, type SocketSink, socketSink } from "./sink.ts";

export type ServeContext = AttemptContext & {
  readonly inFlight: InFlight;
  readonly maxBodyBytes: number;
};

interface Served {
  readonly result: CallResult;
  readonly begun: Begun;
  readonly startedAt: number;
}

interface Arrived {
  readonly match: Match;
  readonly request: IncomingMessage;
  readonly path: string;
  readonly at: Date;
}

function begin(context: ServeContext, { match, request, path, at }: Arrived, result: CallResult): Begun {
  const keyHash = result.credential ? hashOf(result.credential).slice(0, 12) : null;
  const requestId = match.provider.protocol.newRequestId(result.digest, context.nextId());
  return context.log.begin({
    at: at.toISOString(),
    provider: match.provider.name,
    operation: match.route.operation,
    path,
    model: result.model ?? null,
    requested_model: result.requestedModel ?? null,
    request_hash: result.digest,
    request_id: callerRequestId(request.headers) ?? null,
    upstream_request_id: requestId,
    authorization: Boolean(result.credential),
    key_hash: keyHash,
    faults: result.faults,
    concurrency: context.inFlight.enter(result.model ?? "none", keyHash ?? "none"),
  });
}

function chargeIn({ reply, faults }: CallResult, { tokens }: Delivered, outcome: Outcome): Charge | null {
  if (reply.task !== undefined) return null;
  if (reply.trueUsage === undefined && reply.units === undefined) return { rule: "nothing" };
  const stream = reply.type === "events";
  return chargeOf({ outcome, status: stream ? 200 : reply.status, stream, tokens, faults });
}

function end(context: ServeContext, served: Served, socket: SocketSink, delivered: Delivered, outcome: Outcome): void {
  const { result, begun, startedAt } = served;
  const entry = context.log.end(begun, {
    duration_ms: Math.floor(performance.now() - startedAt),
    answer_id: result.reply.responseId ?? null,
    status: delivered.status,
    stream: delivered.stream,
    delivered: { chunks: delivered.chunks, content_tokens: delivered.tokens, bytes: socket.bytes },
    blocked_ms: socket.blockedMs,
    usage: delivered.usage ?? null,
    true_usage: result.reply.trueUsage ?? null,
    units: result.reply.units ?? null,
    charged: chargeIn(result, delivered, outcome),
    task: result.reply.task ?? null,
    outcome,
  });
  context.inFlight.leave(result.model ?? "none", begun.key_hash ?? "none", entry);
}

function closeAs(how: CutByFault["how"], response: ServerResponse): void {
  if (how === "reset") response.socket?.resetAndDestroy();
  if (how === "close") response.socket?.destroySoon();
}

async function send(context: ServeContext, match: Match, served: Served, response: ServerResponse): Promise<void> {
  const { result, begun, startedAt } = served;
  const { protocol } = match.provider;
  const delivered: Delivered = { status: 0, stream: false, chunks: 0, tokens: 0, usage: undefined };
  const socket = socketSink(response);
  const { attempt, model, request_id } = begun;
  context.inFlight.watch(attempt, () => ({
    attempt,
    model,
    request_id,
    chunks: delivered.chunks,
    bytes: socket.bytes,
  }));
  let outcome: Outcome = "completed";
  try {
    const requestId = begun.upstream_request_id;
    const headers = protocol.headers(requestId, Math.round(performance.now() - startedAt));
    const { faults, digest, reply } = result;
    await deliver({ response, socket, faults, protocol, headers, digest, requestId, delivered }, reply);
  } catch (cause) {
    if (!(cause instanceof CutByFault) && !(cause instanceof ClientGone)) throw cause;
    outcome = cause instanceof CutByFault ? "cut" : "disconnected";
    if (cause instanceof CutByFault) closeAs(cause.how, response);
  } finally {
    end(context, served, socket, delivered, outcome);
  }
}

/** Serves one request of a provider's operation, and logs it whatever the outcome. */
export async function serve(
  context: ServeContext,
  match: Match,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const at = new Date();
  const startedAt = performance.now();
  const read = await readBody(request, context.maxBodyBytes);
  const bytes = read.kind === "read" ? read.bytes : Buffer.alloc(0);
  let result = await respondTo(context, { match, request, response, url, bytes });
  if (read.kind === "too-large") {
    response.setHeader("connection", "close");
    result = { ...result, reply: match.provider.protocol.tooLarge() };
  }
  const begun = begin(context, { match, request, path: url.pathname, at }, result);
  await send(context, match, { result, begun, startedAt }, response);
}
