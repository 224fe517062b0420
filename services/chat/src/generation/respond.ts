import type { Upstream } from "@uag/catalog/types";
import type { UsageCharge } from "@uag/pipeline/bill";
import { eventStreamHeaders } from "@uag/pipeline/operation/headers";
import type { AdmittedRequest } from "@uag/pipeline/operation/operation-spec";
import { relay } from "@uag/pipeline/operation/relay";
import type { Reply, StreamReply, UnaryReply } from "@uag/pipeline/operation/reply";
import type { Attempted } from "@uag/providers/attempt";
import { requestIdIn } from "@uag/providers/failure";
import type { Generated, GeneratedStream } from "@uag/providers/generate";
import type { UnaryResponse } from "@uag/providers/generation";
import type { LiveStream } from "@uag/providers/live-stream";
import { upstreamLimits } from "@uag/providers/upstream-limits";
import type { ClientFormat, GenerationRequest } from "../format.ts";
import type { Completed } from "../state/keep.ts";
import type { GenerationSize } from "./admission-sizes.ts";
import { progressOf } from "./checkpoint.ts";
import { estimatedUsage, mayWorkUnseen } from "./usage.ts";

type Admitted = AdmittedRequest<GenerationRequest, GenerationSize>;
interface ReplyBase extends Pick<Reply, "attempts" | "upstreamLimits" | "upstreamRequestId"> {
  readonly upstream: Upstream;
}

/** An upstream's response for the client: whole, or streamed. */
export async function respond(
  format: ClientFormat,
  admitted: Admitted,
  { value, upstream, attempts }: Attempted<Generated>,
): Promise<Reply> {
  // Some clients always read these headers: for a key without limits, only the provider's are
  // known.
  const { upstreamResponse } = value;
  const base: ReplyBase = {
    upstream,
    upstreamRequestId: requestIdIn(upstreamResponse),
    attempts,
    upstreamLimits: () => upstreamLimits(upstreamResponse),
  };
  return value.kind === "unary"
    ? await unaryReply(format, admitted, { ...base, response: value.response })
    : streamReply(format, admitted, { ...base, generated: value });
}

async function unaryReply(
  { keeper }: ClientFormat,
  admitted: Admitted,
  { response, ...base }: ReplyBase & { readonly response: UnaryResponse },
): Promise<UnaryReply> {
  const { usage } = response;
  const { body } = response;
  const completed = completedOf(admitted);
  const charge = usage ?? (await estimatedUsage(admitted, { text: response.deliveredText(), upstream: base.upstream }));
  const headers = ["content-type", "application/json", ...sizeHeaders(admitted)];
  const closing = completed && keeper && (() => keeper.response(completed, body));
  return { kind: "unary", ...base, charge, headers, body, ...(closing && { closing }) };
}

function streamReply(
  format: ClientFormat,
  admitted: Admitted,
  { generated, ...base }: ReplyBase & { readonly generated: GeneratedStream },
): StreamReply {
  const { live } = generated;
  const { keepAlive } = format;
  const { request } = admitted;
  const progress = progressOf(admitted, base.upstream);
  return {
    kind: "stream",
    ...base,
    headers: [...(format.streamHeaders?.(request) ?? eventStreamHeaders), ...sizeHeaders(admitted)],
    progress: () => progress(live),
    async relay(exchange, checkpoints) {
      const completed = completedOf(admitted);
      const edit = completed && format.keeper?.opening(completed);
      await relay(live, { exchange, keepAlive, checkpoints, edit });
      const failure = live.failure && { thrown: live.failure };
      const { upstream } = base;
      const hasLeft = exchange.over;
      const charge = await chargeFor(admitted, { live, upstream, hasLeft });
      const { closing } = live.stream;
      return { charge, closing: (costNanoUsd) => closingOf(format, admitted, { closing, costNanoUsd }), failure };
    },
    errorEvent: (clientError) => format.errorEvent(clientError, request),
  };
}

/** The last bytes of a stream. They are sent once its response is stored, if it is. */
async function closingOf(
  format: ClientFormat,
  admitted: Admitted,
  { closing, costNanoUsd }: { readonly closing: Buffer; readonly costNanoUsd: bigint },
): Promise<Buffer> {
  const priced = format.withCost?.(closing, costNanoUsd) ?? closing;
  const completed = completedOf(admitted);
  return (completed && (await format.keeper?.closing(completed, priced))) ?? priced;
}

function completedOf({ request: { turn }, exchange: { requestId } }: Admitted): Completed | undefined {
  return turn && { turn, requestId };
}

interface RelayedStream {
  readonly live: LiveStream;
  readonly upstream: Upstream;
  /** The client disconnected. */
  readonly hasLeft: boolean;
}

/** Uses the upstream's count if there is one, else an estimate; undefined when nothing is owed. */
async function chargeFor(admitted: Admitted, relayed: RelayedStream): Promise<UsageCharge | undefined> {
  const { live, upstream } = relayed;
  const { failure } = live;
  const { usage = failure?.usage, soFar, delivered } = live.stream;
  if (usage !== undefined) return usage;
  if (isFree(relayed) && !mayWorkUnseen(admitted, upstream)) return undefined;
  return await estimatedUsage(admitted, { text: delivered.text, soFar, upstream, failure });
}

/**
 * Whether a stream whose output is all visible broke without the client and before anything was
 * delivered or counted: its client got nothing, and if it has left, the provider's own error says
 * that nothing is charged.
 */
function isFree({ live: { failure, stream }, hasLeft }: RelayedStream): boolean {
  if (failure === undefined || failure.kind === "cancelled" || failure.received !== undefined) return false;
  if (hasLeft && failure.reported === undefined) return false;
  return stream.delivered.text === "" && stream.soFar === undefined;
}

/** Headers for the caps that the balance or the model's own limit added. */
function sizeHeaders({ size: { sentCap, maxUses } }: Admitted): string[] {
  const headers: string[] = [];
  if (sentCap !== undefined) headers.push("x-gateway-max-tokens", String(sentCap));
  if (maxUses !== undefined) headers.push("x-gateway-max-uses", String(maxUses));
  return headers;
}
