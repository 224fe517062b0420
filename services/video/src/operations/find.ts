import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import type { VideoContext } from "../context.ts";
import { toStoreError } from "../store/connection.ts";
import type { TaskDocument } from "../store/task.ts";
import { cancelTask } from "../tasks/cancel.ts";
import { mayBeId } from "../tasks/ids.ts";
import { viewOf } from "../tasks/view.ts";
import { answering, respondJson } from "./answer.ts";

/**
 * A task of an account, by any of its ids. Another account's task is looked for and missed exactly as one that does not
 * exist.
 * @throws {GatewayError} `not_found`, `service_unavailable`
 */
export async function findTask(context: VideoContext, accountId: string, id: string): Promise<TaskDocument> {
  const task = await context.tasks.find(accountId, mayBeId(id) ? id : "").catch((error: unknown) => {
    throw toStoreError(error);
  });
  if (task === null) throw new GatewayError("not_found", "There is no such video task.", { param: "id" });
  return task;
}

function idOf(exchange: LinkExchange): string {
  const [path = ""] = exchange.target.split("?", 1);
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
  } catch {
    return "";
  }
}

/** `GET /v1/videos/generations/{id}` */
export function getVideo(context: VideoContext): LinkHandler {
  return answering(context, async (exchange) => {
    const { accountId } = Caller.decode(exchange.context);
    respondJson(exchange, 200, viewOf(await findTask(context, accountId, idOf(exchange))));
  });
}

/** `DELETE /v1/videos/generations/{id}`: the task as it stands afterwards. */
export function cancelVideo(context: VideoContext): LinkHandler {
  return answering(context, async (exchange) => {
    const { accountId } = Caller.decode(exchange.context);
    const task = await findTask(context, accountId, idOf(exchange));
    respondJson(exchange, 200, viewOf(await cancelTask(context, task)));
  });
}
