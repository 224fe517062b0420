import { usdText } from "@uag/runtime/usd";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import type { SseEvent } from "@uag/untrusted/sse/event";
import { editMembers, topLevelMembers } from "../../json-edit.ts";

const opening = 123;

/**
 * The last bytes of a stream with its cost: `usage.cost`, a number of USD with nine decimals, where
 * OpenRouter's streams have theirs (https://openrouter.ai/docs/use-cases/usage-accounting). It
 * replaces an upstream's own. Bytes without usage stay as they are.
 */
export function withChatCost(closing: Buffer, costNanoUsd: bigint): Buffer {
  return Buffer.concat(new SseDecoder().push(closing).map((event) => eventWithCost(event, usdText(costNanoUsd))));
}

function eventWithCost({ data, raw }: SseEvent, cost: string): Buffer {
  if (data === undefined || data[0] !== opening) return raw;
  const members = topLevelMembers(data);
  const member = members.findLast(({ key }) => key === "usage");
  if (member === undefined || data[member.valueStart] !== opening) return raw;
  const usage = data.subarray(member.valueStart, member.end);
  const priced = editMembers(usage, topLevelMembers(usage), new Map([["cost", cost]]));
  return encodeSse({ data: editMembers(data, members, new Map([["usage", priced]])).toString("utf8") });
}
