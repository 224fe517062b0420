import { defineQuery } from "@uag/capability/operation/define-query.ts";
import type { Operation } from "@uag/capability/operation/operation.ts";
import { taskStatuses } from "@uag/contract/responses/media.ts";
import type { VideoContext } from "../context.ts";
import { invalid } from "../families/family.ts";
import type { ListQuery } from "../store/changes.ts";
import { toStoreError } from "../store/errors.ts";
import type { TaskStatus } from "../store/task.ts";
import { mayBeId } from "../tasks/ids.ts";
import { viewOf } from "../tasks/view.ts";

const usualLimit = 20;
const maxLimit = 100;

/** `GET /v1/videos/generations`: a page of the account's tasks, newest first. */
export function listVideos(context: VideoContext): Operation {
  return defineQuery(context, {
    async respond({ target }, { accountId }) {
      const query = queryOf(target);
      const limit = query.limit + 1;
      const found = await context.tasks.list({ ...query, accountId, limit }).catch((error: unknown) => {
        throw toStoreError(error);
      });
      const page = found.slice(0, query.limit);
      const hasMore = found.length > page.length;
      const next = hasMore ? page.at(-1)?._id : undefined;
      return {
        body: { object: "list", data: page.map(viewOf), has_more: hasMore, next_cursor: next ?? null },
      };
    },
  });
}

function queryOf(target: string): Omit<ListQuery, "accountId"> {
  const at = target.indexOf("?");
  const query = new URLSearchParams(at < 0 ? "" : target.slice(at + 1, at + 2_000));
  const limit = Number(query.get("limit") ?? usualLimit);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw invalid("limit", `limit: must be a whole number from 1 to ${maxLimit}.`);
  }
  const after = query.get("cursor") ?? query.get("after") ?? undefined;
  if (after !== undefined && !mayBeId(after)) throw invalid("cursor", "cursor: is not one of a page before.");
  return { limit, after, status: statusOf(query.get("status")), model: query.get("model") ?? undefined };
}

function statusOf(text: string | null): TaskStatus | undefined {
  if (text === null) return undefined;
  const status = taskStatuses.find((known) => known === text);
  if (status === undefined) throw invalid("status", `status: must be one of ${taskStatuses.join(", ")}.`);
  return status;
}
