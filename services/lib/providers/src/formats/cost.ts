import { usdText } from "@uag/runtime/usd";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { editMembers, topLevelMembers } from "../json-edit.ts";

const opening = 123;

/** Where an event of each format has its usage. */
const usageIn = {
  chat: ["usage"],
  responses: ["response", "usage"],
} as const;

/**
 * The last bytes of a stream with its cost: `usage.cost`, a number of USD with nine decimals, where
 * OpenRouter's streams have theirs (https://openrouter.ai/docs/use-cases/usage-accounting). It
 * replaces an upstream's own. Bytes without usage stay as they are.
 */
export function withCost(format: keyof typeof usageIn, closing: Buffer, costNanoUsd: bigint): Buffer {
  const events = new SseDecoder().push(closing);
  return Buffer.concat(events.map((event) => eventWithCost(event, usageIn[format], usdText(costNanoUsd))));
}

function eventWithCost({ name, data, raw }: SseEvent, path: readonly string[], cost: string): Buffer {
  if (data === undefined || data[0] !== opening) return raw;
  const priced = priceAt(data, path, cost);
  return priced === undefined ? raw : encodeSse({ name, data: priced.toString("utf8") });
}

/** An object with the cost in the object at this path; undefined if there is none. */
function priceAt(object: Buffer, [key, ...rest]: readonly string[], cost: string): Buffer | undefined {
  const members = topLevelMembers(object);
  if (key === undefined) return editMembers(object, members, new Map([["cost", cost]]));
  const member = members.findLast((each) => each.key === key);
  if (member === undefined || object[member.valueStart] !== opening) return undefined;
  const inner = priceAt(object.subarray(member.valueStart, member.end), rest, cost);
  return inner && editMembers(object, members, new Map([[key, inner]]));
}
