import type { LinkExchange } from "@uag/link/server-exchange";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { UpstreamFailure } from "@uag/providers/failure";
import { crashPoint } from "@uag/runtime/crash-point";
import { Pace } from "@uag/runtime/pace";
import { usdText } from "@uag/runtime/usd";
import { type AttemptResult, type Bill, servedInstead } from "../bill.ts";
import { clientErrorOf } from "../client-error.ts";
import type { CapabilityContext } from "../context.ts";
import { Checkpoints } from "./checkpoints.ts";
import { usageHeaders } from "./headers.ts";
import type { AdmittedRequest, Size } from "./operation-spec.ts";
import type { Reply, StreamEnd, StreamReply, UnaryReply } from "./reply.ts";

interface Sending<R> {
  readonly admitted: AdmittedRequest<R, Size>;
  readonly bill: Bill;
  /** Discards the upstream's response. Never rejects. */
  discard(): Promise<void>;
}

type EventContext = Pick<CapabilityContext, "events">;

/**
 * Sends a reply to the client and writes its bill.
 * @throws whatever prevented the bill of a non-streamed response from being written: nothing has
 * been sent then
 */
export function send<R>(context: EventContext, { reply, ...sending }: Sending<R> & { reply: Reply }): Promise<void> {
  return reply.kind === "unary" ? sendUnary(sending, reply) : sendStream(context, sending, reply);
}

async function sendUnary<R>({ admitted, bill }: Sending<R>, reply: UnaryReply): Promise<void> {
  const { exchange } = admitted;
  const { upstream, upstreamRequestId, attempts } = reply;
  const outcome = exchange.over ? Outcome.DISCONNECTED : Outcome.COMPLETED;
  const cost = await bill.charge({ ...reply.charge, outcome }, { upstream, upstreamRequestId, attempts, status: 200 });
  crashPoint("first-byte");
  if (!exchange.over) {
    const body = (await reply.closing?.()) ?? reply.body;
    const headers = [...reply.headers, ...lengthHeader(body)];
    const reasons = bill.reasonsFor(upstream);
    headers.push(...usageHeaders(admitted, { upstream, attempts, reasons }, limitsOf(admitted, reply)));
    headers.push("x-gateway-cost-usd", usdText(cost));
    if (Buffer.isBuffer(body)) exchange.respond(200, headers, body);
    else await respondInPieces(exchange, headers, body);
  }
  crashPoint("answered");
}

/** The length of a body whose pieces are all there. */
function lengthHeader(body: UnaryReply["body"]): string[] {
  if (!Buffer.isBuffer(body) && !Array.isArray(body)) return [];
  let bytes = 0;
  for (const piece of Buffer.isBuffer(body) ? [body] : (body as readonly Buffer[])) bytes += piece.length;
  return ["content-length", String(bytes)];
}

async function respondInPieces(
  exchange: LinkExchange,
  headers: readonly string[],
  pieces: Iterable<Buffer>,
): Promise<void> {
  exchange.head(200, headers);
  const pace = new Pace();
  for (const piece of pieces) {
    if (exchange.over) return;
    // A client that disconnects meanwhile is noticed at the next piece.
    if (piece.length > 0 && !exchange.write(piece)) await exchange.drained().catch(() => {});
    if (pace.isOver) await pace.rest();
  }
  exchange.end();
}

/** A key without limits gets the upstream's limit headers, if the reply has them. */
function limitsOf<R>({ admitted }: AdmittedRequest<R, Size>, reply: Reply): readonly string[] {
  return admitted.headers.length > 0 ? admitted.headers : (reply.upstreamLimits?.() ?? []);
}

async function sendStream<R>(context: EventContext, sending: Sending<R>, reply: StreamReply): Promise<void> {
  const { admitted, bill, discard } = sending;
  const { exchange, model, replaced } = admitted;
  const { upstream, attempts } = reply;
  const reasons = bill.reasonsFor(upstream);
  const instead = replaced && servedInstead(model, replaced);
  const checkpoints = new Checkpoints(admitted.admitted, () => ({ ...reply.progress(), ...instead }));
  try {
    checkpoints.write();
    crashPoint("first-byte");
    bill.firstByteSent();
    const limits = limitsOf(admitted, reply);
    exchange.head(200, [...reply.headers, ...usageHeaders(admitted, { upstream, attempts, reasons }, limits)]);
    const end = await reply.relay(exchange, checkpoints);
    const costNanoUsd = await billStream(sending, reply, end);
    await finish(context, admitted, { reply, end, costNanoUsd });
  } catch (error) {
    // The bill could not be computed or written: the response must not look complete.
    context.events.failed(exchange.requestId, error);
    exchange.fail("service_unavailable");
    await discard();
    await bill
      .fail({ upstream, attempts: reply.attempts, status: 503, errorCode: "service_unavailable" })
      .catch((again: unknown) => {
        // A second attempt on the same bill fails with the same error, which is logged already.
        if (again !== error) context.events.failed(exchange.requestId, again);
      });
  }
}

/** Bills a stream; one without a charge costs nothing. Resolves with its cost, nano-USD. */
async function billStream<R>(
  { admitted, bill }: Sending<R>,
  { upstream, upstreamRequestId, attempts }: StreamReply,
  end: StreamEnd,
): Promise<bigint> {
  const { over, requestId } = admitted.exchange;
  const thrown = end.failure?.thrown;
  if (!over && thrown instanceof UpstreamFailure && upstream !== undefined) bill.streamFailed(upstream, thrown);
  const errorCode = over || end.failure === undefined ? undefined : clientErrorOf(thrown, requestId).error.code;
  const calls = end.attempts ?? attempts;
  const result: AttemptResult = { upstream, upstreamRequestId, attempts: calls, status: 200, errorCode };
  if (end.charge === undefined) return await bill.fail({ ...result, status: over ? 499 : 200 });
  return await bill.charge({ ...end.charge, outcome: over ? Outcome.DISCONNECTED : outcomeOf(end) }, result);
}

function outcomeOf({ failure }: StreamEnd): Outcome {
  return failure === undefined ? Outcome.COMPLETED : Outcome.FAILED;
}

/** Ends the response with its last bytes, or with the error. */
async function finish<R>(
  { events }: EventContext,
  { exchange }: AdmittedRequest<R, Size>,
  { reply, end, costNanoUsd }: { reply: StreamReply; end: StreamEnd; costNanoUsd: bigint },
): Promise<void> {
  if (exchange.over) return;
  if (end.failure === undefined) {
    const closing = await end.closing?.(costNanoUsd);
    if (exchange.over) return;
    if (closing !== undefined) exchange.write(closing);
    exchange.end();
    crashPoint("answered");
    return;
  }
  const { thrown } = end.failure;
  const clientError = clientErrorOf(thrown, exchange.requestId);
  if (thrown instanceof UpstreamFailure && reply.upstream !== undefined)
    events.upstreamFailed(exchange.requestId, reply.upstream, thrown);
  else if (clientError.error.code === "internal_error") events.failed(exchange.requestId, thrown);
  const event = reply.errorEvent?.(clientError);
  if (event !== undefined) exchange.write(event);
  exchange.fail(clientError.error.code);
}
