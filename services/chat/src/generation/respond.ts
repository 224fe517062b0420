import { price } from "@uag/catalog/price";
import type { UsageCharge } from "@uag/pipeline/bill";
import { eventStreamHeaders } from "@uag/pipeline/operation/headers";
import type { AdmittedRequest } from "@uag/pipeline/operation/operation-spec";
import { relay } from "@uag/pipeline/operation/relay";
import type { Reply, StreamReply, UnaryReply } from "@uag/pipeline/operation/reply";
import type { Attempted } from "@uag/providers/attempt";
import type { Generated, GeneratedStream } from "@uag/providers/generate";
import type { UnaryResponse } from "@uag/providers/generation";
import { upstreamLimits } from "@uag/providers/upstream-limits";
import type { ClientFormat, GenerationRequest } from "../format.ts";
import type { GenerationSize } from "./admission-sizes.ts";
import { estimatedUsage, roughUnits } from "./usage.ts";

type Admitted = AdmittedRequest<GenerationRequest, GenerationSize>;
type ReplyBase = Pick<Reply, "upstream" | "attempts" | "upstreamLimits">;

/** An upstream's response for the client: whole, or streamed. */
export async function respond(
  format: ClientFormat,
  admitted: Admitted,
  { value, upstream, attempts }: Attempted<Generated>,
): Promise<Reply> {
  // Some clients always read these headers: for a key without limits, only the provider's are
  // known.
  const base: ReplyBase = { upstream, attempts, upstreamLimits: () => upstreamLimits(value.upstreamResponse) };
  return value.kind === "unary"
    ? await unaryReply(admitted, value.response, base)
    : streamReply(format, admitted, { ...base, generated: value });
}

async function unaryReply(admitted: Admitted, response: UnaryResponse, base: ReplyBase): Promise<UnaryReply> {
  const { usage, body } = response;
  const charge = usage ?? (await estimatedUsage(admitted, { text: response.deliveredText() }));
  const headers = ["content-type", "application/json", ...sizeHeaders(admitted)];
  return { kind: "unary", ...base, charge, headers, body };
}

function streamReply(
  format: ClientFormat,
  admitted: Admitted,
  { generated, ...base }: ReplyBase & { readonly generated: GeneratedStream },
): StreamReply {
  const { live } = generated;
  const { keepAlive, errorEvent } = format;
  return {
    kind: "stream",
    ...base,
    headers: [...eventStreamHeaders, ...sizeHeaders(admitted)],
    async relay(exchange) {
      await relay(live, { exchange, keepAlive, checkpoint: () => checkpoint(admitted, generated) });
      const failure = live.failure && { thrown: live.failure };
      return { charge: await chargeFor(admitted, generated), closing: live.stream.closing, failure };
    },
    errorEvent,
  };
}

/** A rough count, since exact counting takes time. */
function checkpoint({ admitted, model, request }: Admitted, { live }: GeneratedStream): void {
  const units = roughUnits(model, { bodyBytes: request.body.length, outputTokens: live.stream.delivered.roughTokens });
  admitted.checkpoint(units, price(units, model.price).costNanoUsd);
}

/**
 * Uses the upstream's count if there is one, else counts the delivered text. A stream that the
 * upstream broke before anything was delivered or counted is free; one whose client disconnected is
 * not.
 */
async function chargeFor(admitted: Admitted, { live, allSeen }: GeneratedStream): Promise<UsageCharge | undefined> {
  const { usage, soFar, delivered } = live.stream;
  if (usage !== undefined) return usage;
  const broke = live.failure !== undefined && live.failure.kind !== "cancelled";
  if (broke && live.failure?.usage !== undefined) return live.failure.usage;
  if (broke && delivered.text === "" && soFar === undefined) return undefined;
  const workedMs = allSeen ? undefined : live.failure?.workedMs;
  return await estimatedUsage(admitted, { text: delivered.text, soFar, workedMs });
}

/** Headers for the caps that the balance or the model's own limit added. */
function sizeHeaders({ size: { sentCap, maxUses } }: Admitted): string[] {
  const headers: string[] = [];
  if (sentCap !== undefined) headers.push("x-gateway-max-tokens", String(sentCap));
  if (maxUses !== undefined) headers.push("x-gateway-max-uses", String(maxUses));
  return headers;
}
