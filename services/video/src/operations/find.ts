import { GatewayError } from "@uag/contract/errors/gateway-error";
import { toStoreError } from "@uag/mongo/store-error";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { pathOf } from "@uag/runtime/http/target";
import type { VideoContext } from "../context.ts";
import type { TaskDocument } from "../store/task.ts";
import { cancelTask } from "../tasks/cancel.ts";
import { mayBeId } from "../tasks/ids.ts";
import { viewOf } from "../tasks/view.ts";

/**
 * Finds a task of an account by any of its ids. Another account's task is handled exactly like one
 * that does not exist.
 * @throws {GatewayError} `not_found`, `service_unavailable`
 */
export async function findTask(context: VideoContext, accountId: string, id: string): Promise<TaskDocument> {
  const task = await context.tasks.find(accountId, mayBeId(id) ? id : "").catch((error: unknown) => {
    throw toStoreError(error);
  });
  if (task === null) throw new GatewayError("not_found", "The video task does not exist.", { param: "id" });
  return task;
}

function idIn(target: string): string {
  const path = pathOf(target);
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
  } catch {
    return "";
  }
}

/** `GET /v1/videos/generations/{id}` */
export function getVideo(context: VideoContext): Operation {
  return defineQuery(context, {
    respond: async ({ target }, { accountId }) => ({ body: viewOf(await findTask(context, accountId, idIn(target))) }),
  });
}

/** `DELETE /v1/videos/generations/{id}`: returns the task in its state afterwards. */
export function cancelVideo(context: VideoContext): Operation {
  return defineQuery(context, {
    async respond({ target }, { accountId }) {
      const task = await findTask(context, accountId, idIn(target));
      return { body: viewOf(await cancelTask(context, task)) };
    },
  });
}
