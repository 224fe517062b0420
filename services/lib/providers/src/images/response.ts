import { type Fields, isFields, parsedJson } from "../conversation/fields.ts";
import { UpstreamFailure, type UpstreamMessage } from "../failure.ts";
import { topLevelMembers } from "../json-edit.ts";

/** @throws {UpstreamFailure} `transient` when the body is not a JSON object */
export function responseFields(body: Buffer): Fields {
  const value = parsedJson(body.toString("utf8"));
  if (isFields(value)) return value;
  throw new UpstreamFailure("transient", "the upstream's response is not a JSON object", { status: 200 });
}

/** A member's raw bytes; undefined when it is absent or null. */
export function rawMember(body: Buffer, key: string): Buffer | undefined {
  const member = topLevelMembers(body).findLast((candidate) => candidate.key === key);
  if (member === undefined) return undefined;
  const raw = body.subarray(member.valueStart, member.end);
  // Copied, because a slice would keep the whole response, megabytes of images, in memory.
  return raw.equals(nullText) ? undefined : Buffer.from(raw);
}

const nullText = Buffer.from("null");

/** The failure for a response without images: the first fault is the reason. */
export function nothingMade(faults: readonly UpstreamMessage[]): UpstreamFailure {
  const [reported] = faults;
  if (reported === undefined) return new UpstreamFailure("transient", "the response has no image", { status: 200 });
  return new UpstreamFailure("client", reported.message, { status: 200, reported });
}

/** The model refused to make this image. */
export function moderated(message: string): UpstreamMessage {
  return { message, type: "invalid_request_error", code: "content_policy_violation", param: "prompt" };
}
