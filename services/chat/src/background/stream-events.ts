import { editMembers, topLevelMembers } from "@uag/providers/json-edit";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import { memberOf } from "../state/items.ts";
import { withState } from "./view.ts";

/** The events that open the stream of a response in the background, from its object, which is queued. */
export function openingEvents(queued: Buffer): Buffer[] {
  return ["response.created", "response.queued"].map((type, n) => responseEvent(type, n, queued));
}

/** The same from a response that ended before anything of it was made. */
export const openingOf = (ended: Buffer): Buffer[] => openingEvents(withState(ended, { status: "queued" }));

/** The event that ends the stream: it has the response as it is stored. */
export function lastEvent(sequenceNumber: number, response: Buffer): Buffer {
  const status = memberOf(response, "status")?.toString();
  const type =
    status === '"completed"' || status === '"incomplete"' ? `response.${status.slice(1, -1)}` : "response.failed";
  return responseEvent(type, sequenceNumber, response);
}

function responseEvent(type: string, sequenceNumber: number, response: Buffer): Buffer {
  const event = Buffer.from(JSON.stringify({ type, sequence_number: sequenceNumber }));
  const data = editMembers(event, topLevelMembers(event), new Map([["response", response]]));
  return encodeSse({ name: type, data: data.toString("utf8") });
}
