import type { UsageCharge } from "@uag/pipeline/bill";
import { typedErrorEvent } from "@uag/pipeline/nested-error";
import { eventStreamHeaders } from "@uag/pipeline/operation/headers";
import type { AdmittedRequest, Size } from "@uag/pipeline/operation/operation-spec";
import { relay } from "@uag/pipeline/operation/relay";
import type { StreamReply } from "@uag/pipeline/operation/reply";
import type { Attempted } from "@uag/providers/attempt";
import type { LiveStream } from "@uag/providers/live-stream";
import type { TranscriptionRequest } from "./request.ts";
import { deliveredFor, owedFor, progressOf } from "./usage.ts";

type Admitted = AdmittedRequest<TranscriptionRequest, Size>;

/**
 * Streams a transcript while the audio is read. Its last event, with the whole text, is sent after
 * the bill is on disk.
 */
export function streamResponse(
  admitted: Admitted,
  { value: live, upstream, attempts }: Attempted<LiveStream>,
): StreamReply {
  return {
    kind: "stream",
    upstream,
    attempts,
    headers: eventStreamHeaders,
    progress: () => progressOf(admitted, live.stream.delivered),
    async relay(exchange, checkpoints) {
      await relay(live, { exchange, checkpoints });
      const failure = live.failure && { thrown: live.failure };
      return { charge: await chargeFor(admitted, live), closing: () => live.stream.closing, failure };
    },
    errorEvent: (clientError) => typedErrorEvent(admitted.errorFormat, clientError),
  };
}

/**
 * Charges by the upstream's usage if it arrived. Otherwise by estimate: of the delivered text, or of
 * all that is spoken if the stream was interrupted, since the upstream completes it. An error of the
 * upstream's own, and a stream that broke, are free before any text.
 */
async function chargeFor(admitted: Admitted, { stream, failure }: LiveStream): Promise<UsageCharge | undefined> {
  const { usage = failure?.usage, delivered } = stream;
  if (usage !== undefined) return usage;
  if (failure === undefined) return await deliveredFor(admitted, delivered.text);
  const isInterrupted = failure.reported === undefined;
  const mayHaveWorked = failure.received !== undefined || failure.workedMs !== undefined;
  if (delivered.text === "" && !(isInterrupted && mayHaveWorked)) return undefined;
  return isInterrupted ? await owedFor(admitted, delivered.text) : await deliveredFor(admitted, delivered.text);
}
