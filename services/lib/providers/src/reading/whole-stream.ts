import { Pace } from "@uag/runtime/pace";
import { SseDecoder, SseTooLargeError } from "@uag/untrusted/sse/decoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { unusableResponse } from "../failure.ts";
import { boundedResponse, maxParsedBytes } from "../response-limits.ts";
import { wholeEvent } from "../whole-event.ts";

/** Decoded at a time, bytes: a fraction of a turn. */
const sliceBytes = 64 * 1024;

/**
 * The events of a complete stream, in turns of the event loop: a long response is tens of thousands
 * of events.
 * @throws {UpstreamFailure} `transient` for an event that would take too long to parse
 */
export async function* eventsInTurns(body: Buffer): AsyncGenerator<SseEvent, void, undefined> {
  const decoder = new SseDecoder({ maxEventBytes: maxParsedBytes });
  const pace = new Pace();
  for (let at = 0; at < body.length; at += sliceBytes) {
    for (const event of pushed(decoder, body.subarray(at, at + sliceBytes))) {
      if (event.data !== undefined) await boundedResponse(event.data);
      yield event;
      if (pace.isOver) await pace.rest();
    }
    if (pace.isOver) await pace.rest();
  }
  const last = decoder.end();
  if (last?.data !== undefined) await boundedResponse(last.data);
  const whole = wholeEvent(last);
  if (whole !== undefined) yield whole;
}

function pushed(decoder: SseDecoder, slice: Buffer): SseEvent[] {
  try {
    return decoder.push(slice);
  } catch (error) {
    if (!(error instanceof SseTooLargeError)) throw error;
    throw unusableResponse(error.message, { cause: error });
  }
}
