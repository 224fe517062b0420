import { createHash } from "node:crypto";
import { newId } from "@uag/runtime/ids";
import type { BackgroundStart } from "../format.ts";
import { memberOf } from "../state/items.ts";
import type { ResponseStore } from "../state/store.ts";
import type { BackgroundEvents } from "./events.ts";
import type { Followers } from "./followers.ts";
import type { JobStore } from "./job-store.ts";
import { queuedResponse } from "./view.ts";

/** The responses that the service makes in the background. */
export interface Background {
  readonly jobs: JobStore;
  readonly followers: Followers;
  readonly events: BackgroundEvents;
  /** Notifies the worker of a new job, or of a change of one. */
  readonly wake: () => void;
}

interface StoredBy {
  readonly stored: Pick<ResponseStore, "find" | "read">;
}

/**
 * `POST /v1/responses` with `background: true`: responds with a response that is queued, or with the
 * one that an earlier request with the same idempotency key created; with `stream: true`, with its
 * events.
 */
export function startInBackground({ jobs, followers, stored, events, wake }: Background & StoredBy): BackgroundStart {
  return async ({ caller, idempotencyKey, endUser, body, signal }) => {
    const { accountId, keyId } = caller;
    const stream = memberOf(body, "stream")?.toString() === "true";
    const id = idempotencyKey === undefined ? newId("resp") : idOf(keyId, idempotencyKey);
    const row = idempotencyKey === undefined ? undefined : await stored.find(accountId, id);
    if (row !== undefined && !stream) return { body: (await stored.read(row)).response };
    const response = queuedResponse(id, body);
    if (row === undefined) {
      events.created(await jobs.create({ accountId, keyId, id, body, endUser, response, stream }));
      wake();
    }
    return stream ? followers.follow({ caller, id, from: 0, signal }) : { body: response };
  };
}

/** The id of the response to an idempotency key, whose record a crash may have lost. */
function idOf(keyId: string, idempotencyKey: string): string {
  return `resp_${createHash("sha256").update(`${keyId}\n${idempotencyKey}`).digest("hex").slice(0, 48)}`;
}
