import { videoListQuery } from "@uag/contract/requests/queries";
import { refuseLongSearch, type SearchLimit } from "@uag/mongo/long-search";
import { toStoreError } from "@uag/mongo/store-error";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { readQuery } from "@uag/pipeline/request/query";
import type { VideoContext } from "../context.ts";
import { viewOf } from "../tasks/view.ts";

/** A filter that few tasks match reads every task of the account. */
const search: SearchLimit = { maxTimeMS: 4_000, remedy: "Leave out `status` and `model`.", param: "status" };

/** `GET /v1/videos/generations`: a page of the account's tasks, newest first. */
export function listVideos(context: VideoContext): Operation {
  return defineQuery(context, {
    async respond({ target }, { accountId }) {
      const { limit, cursor, after, status, model } = readQuery(videoListQuery, target);
      const { maxTimeMS } = search;
      const query = { accountId, limit: limit + 1, after: cursor ?? after, status, model, maxTimeMS };
      const found = await context.tasks
        .list(query)
        .catch(refuseLongSearch(search))
        .catch((error: unknown) => {
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
