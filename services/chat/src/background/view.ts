import type { Fields } from "@uag/pipeline/request/body";
import { fieldsOf, parsedJson, textOf } from "@uag/providers/conversation/fields";
import { responseObject } from "@uag/providers/formats/responses/response-object";
import { editMembers, topLevelMembers } from "@uag/providers/json-edit";

/** The state of a response that is made in the background, without output. */
export interface JobState {
  readonly status: "queued" | "in_progress" | "cancelled" | "failed";
  /** Why it failed. */
  readonly error?: JobError | undefined;
}

/** An error as in a response object: https://platform.openai.com/docs/api-reference/responses/object. */
export interface JobError {
  readonly code: string;
  readonly message: string;
}

/** The response object that is queued, from the body of its request. */
export function queuedResponse(id: string, body: Buffer): Buffer {
  const fields: Fields = fieldsOf(parsedJson(body.toString("utf8")));
  const model = textOf(fields["model"]) ?? "";
  const createdAt = Math.floor(Date.now() / 1_000);
  const nothing = { output: [], tokens: undefined, stop: undefined };
  const response = {
    ...responseObject({ body, fields }, { id, model, createdAt, ...nothing }),
    status: "queued",
    background: true,
    previous_response_id: textOf(fields["previous_response_id"]) ?? null,
    store: true,
  };
  return Buffer.from(JSON.stringify(response));
}

/** The same in another state. */
export function withState(queued: Buffer, { status, error }: JobState): Buffer {
  const edits = [["status", status] as const, ["error", error ?? null] as const];
  const raw = new Map(edits.map(([name, value]) => [name, JSON.stringify(value)]));
  return editMembers(queued, topLevelMembers(queued), raw);
}
