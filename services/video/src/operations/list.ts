import { videoListQuery } from "@uag/contract/requests/queries";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { readQuery } from "@uag/pipeline/request/query";
import type { VideoContext } from "../context.ts";
import { toStoreError } from "../store/errors.ts";
import { viewOf } from "../tasks/view.ts";

/** `GET /v1/videos/generations`: a page of the account's tasks, newest first. */
export function listVideos(context: VideoContext): Operation {
  return defineQuery(context, {
    async respond({ target }, { accountId }) {
      const { limit, cursor, after, status, model } = readQuery(videoListQuery, target);
      const query = { accountId, limit: limit + 1, after: cursor ?? after, status, model };
      const found = await context.tasks.list(query).catch((error: unknown) => {
        throw toStoreError(error);
      });
      const page = found.slice(0, limit);
      const hasMore = found.length > page.length;
      const next = hasMore ? page.at(-1)?._id : undefined;
      return {
        body: { object: "list", data: page.map(viewOf), has_more: hasMore, next_cursor: next ?? null },
      };
    },
  });
}
