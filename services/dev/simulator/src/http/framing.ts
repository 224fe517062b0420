import { eventMessage } from "../aws/event-stream.ts";
import type { Faults } from "../faults/catalogue.ts";
import type { EventsReply, StreamEvent } from "./types.ts";

/** Converts events to a body. */
export interface Framer {
  frame(event: StreamEvent): string | Buffer;
  readonly end: string;
}

function lineEnd(faults: Faults): string {
  if (faults.crlf !== undefined) return "\r\n";
  return faults.cr === undefined ? "\n" : "\r";
}

function dataLines(event: StreamEvent, faults: Faults): string[] {
  if (faults["multi-data"] === undefined || event.terminator) return [event.data];
  return JSON.stringify(JSON.parse(event.data), null, 1).split("\n");
}

function sseFramer(faults: Faults, tight: boolean): Framer {
  const newline = lineEnd(faults);
  const colon = faults["no-space"] === undefined && !tight ? ": " : ":";
  const commentEvery = faults.comments;
  let framed = 0;
  return {
    frame(event) {
      const comment = commentEvery !== undefined && framed % Math.max(1, commentEvery) === 0;
      framed++;
      const lines = comment ? [": keep-alive", ""] : [];
      if (event.id !== undefined) lines.push(`id${colon}${event.id}`);
      if (event.event !== undefined) lines.push(`event${colon}${event.event}`);
      if (event.httpStatus !== undefined) lines.push(`:HTTP_STATUS/${event.httpStatus}`);
      for (const line of dataLines(event, faults)) lines.push(`data${colon}${line}`);
      const text = lines.join(newline);
      return event.terminator && faults["no-final-newline"] !== undefined ? text : text + newline + newline;
    },
    end: "",
  };
}

function arrayFramer(): Framer {
  let framed = 0;
  return {
    frame: (event) => (framed++ === 0 ? `[${event.data}` : `,\r\n${event.data}`),
    end: "]",
  };
}

function awsFramer(): Framer {
  return {
    frame({ event = "chunk", exception, data }) {
      const type =
        exception === undefined
          ? { ":event-type": event, ":message-type": "event" }
          : { ":exception-type": exception, ":message-type": "exception" };
      return eventMessage({ ...type, ":content-type": "application/json" }, data);
    },
    end: "",
  };
}

/** A fresh framer for one body. */
export function createFramer(framing: EventsReply["framing"], faults: Faults): Framer {
  if (framing === "aws") return awsFramer();
  return framing === "json-array" ? arrayFramer() : sseFramer(faults, framing === "tight");
}
