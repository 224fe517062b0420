import { CutByFault } from "../http/sink.ts";
import type { Protocol, StreamEvent } from "../http/types.ts";
import type { Faults } from "./catalogue.ts";

/** The response stalls here for ever. */
export const stalled = Symbol("stalled");

function ending(faults: Faults, sent: number): CutByFault | undefined {
  if (faults.cut !== undefined && sent >= faults.cut) return new CutByFault("end");
  if (faults["reset-chunks"] !== undefined && sent >= faults["reset-chunks"]) return new CutByFault("reset");
  return undefined;
}

/** An error inside a response with status 200. */
export function errorInside(protocol: Protocol, faults: Faults): StreamEvent {
  return protocol.streamError({ status: faults["error-status"] ?? 500, quota: faults.quota !== undefined });
}

/**
 * Applies the faults that concern whole events to a stream. Ends with CutByFault if a fault cuts
 * it.
 */
export function* withEventFaults(
  events: Iterable<StreamEvent>,
  faults: Faults,
  protocol: Protocol,
): Generator<StreamEvent | typeof stalled, void, undefined> {
  let sent = 0;
  for (const event of events) {
    const cut = ending(faults, sent);
    if (cut !== undefined) throw cut;
    if (faults.stall !== undefined && sent >= faults.stall) yield stalled;
    if (faults["error-event"] !== undefined && sent + 1 >= faults["error-event"]) {
      yield errorInside(protocol, faults);
      throw new CutByFault("end");
    }
    if (faults["garbage-event"] !== undefined && sent + 1 === faults["garbage-event"]) {
      yield { data: '{"id":"broken","choices":[{' };
    }
    if (event.terminator && faults["no-terminator"] !== undefined) continue;
    const times = event.usageOnly ? (faults["usage-repeat"] ?? 1) : 1;
    for (let i = 0; i < times; i++) yield event;
    sent++;
  }
}
