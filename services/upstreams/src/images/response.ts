import { type Fields, isFields, parsedJson } from "../conversation/fields.ts";
import { UpstreamFailure, type UpstreamMessage } from "../failure.ts";
import { topLevelMembers } from "../json-edit.ts";

/** @throws {UpstreamFailure} `transient` when the body is not a JSON object */
export function responseFields(body: Buffer): Fields {
  const value = parsedJson(body.toString("utf8"));
  if (isFields(value)) return value;
  throw new UpstreamFailure("transient", "the upstream's answer is not a JSON object", { status: 200 });
}

/** A member's bytes as they came; undefined when it is not there or is null. */
export function rawMember(body: Buffer, key: string): Buffer | undefined {
  const member = topLevelMembers(body).findLast((candidate) => candidate.key === key);
  if (member === undefined) return undefined;
  const raw = body.subarray(member.valueStart, member.end);
  // A copy: the whole answer, megabytes of pictures, would live on behind a slice of it.
  return raw.equals(nullText) ? undefined : Buffer.from(raw);
}

const nullText = Buffer.from("null");

/** An answer without a picture: the first fault says why. */
export function nothingMade(faults: readonly UpstreamMessage[]): UpstreamFailure {
  const [reported] = faults;
  if (reported === undefined) return new UpstreamFailure("transient", "the answer has no picture", { status: 200 });
  return new UpstreamFailure("client", reported.message, { status: 200, reported });
}

/** The model refused to draw this. */
export function moderated(message: string): UpstreamMessage {
  return { message, type: "invalid_request_error", code: "content_policy_violation", param: "prompt" };
}
