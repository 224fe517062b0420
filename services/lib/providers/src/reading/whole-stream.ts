import { Pace } from "@uag/runtime/pace";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { boundedResponse } from "../response-limits.ts";
import { wholeEvent } from "../whole-event.ts";

/** Decoded at a time, bytes: a fraction of a turn. */
const sliceBytes = 64 * 1024;

/**
 * The events of a complete stream, in turns of the event loop: a long response is tens of thousands
 * of events.
 * @throws {UpstreamFailure} `transient` for an event that would take too long to parse
 */
export async function* eventsInTurns(body: Buffer): AsyncGenerator<SseEvent, void, undefined> {
  const decoder = new SseDecoder({ maxEventBytes: body.length });
  const pace = new Pace();
  for (let at = 0; at < body.length; at += sliceBytes) {
    for (const event of decoder.push(body.subarray(at, at + sliceBytes))) {
      if (event.data !== undefined) boundedResponse(event.data);
      yield event;
      if (pace.isOver) await pace.rest();
    }
  }
  const last = decoder.end();
  if (last?.data !== undefined) boundedResponse(last.data);
  const whole = wholeEvent(last);
  if (whole !== undefined) yield whole;
}
