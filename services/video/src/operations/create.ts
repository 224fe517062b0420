import { callerOf } from "@uag/capability/caller.ts";
import { readJsonBody } from "@uag/capability/request/body.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { VideoContext } from "../context.ts";
import { invalid } from "../families/family.ts";
import { readVideoRequest } from "../request/read.ts";
import { waitMs } from "../request/wait.ts";
import { submit } from "../tasks/submit.ts";
import { viewOf } from "../tasks/view.ts";
import { answering, respondJson } from "./answer.ts";
import { findTask } from "./find.ts";

/** `POST /v1/videos/generations`: 202 with the task, or 200 when the request waits and the task ends in time. */
export function createVideo(context: VideoContext): LinkHandler {
  return answering(context, async (exchange) => {
    const caller = callerOf(exchange.context);
    const { buffers, guarded, catalog, hub } = context;
    using lease = buffers.open(caller.accountId);
    const { fields } = await readJsonBody(exchange, lease);
    const request = readVideoRequest(fields, { catalog: catalog.current, caller, guarded });
    const prefer = exchange.header("prefer");
    const timeoutMs = waitMs({ prefer, target: exchange.target, body: request.fields["wait"] });
    await checkDrafts(context, caller.accountId, request.drafts);
    const { requestId } = exchange;
    const given = exchange.header("idempotency-key");
    // A key of one API key says nothing to another of the account.
    const idempotencyKey = given && `${caller.keyId}/${given}`;
    const task = await submit(context, { request, caller, requestId, idempotencyKey });
    const waits = task.live && timeoutMs > 0;
    const ended = waits ? await hub.wait(task._id, { timeoutMs, signal: exchange.signal }) : undefined;
    const last = ended ?? task;
    const view = viewOf(last);
    const headers = ["location", `/v1/videos/generations/${view.id}`];
    const terminal = !last.live && timeoutMs > 0;
    respondJson(exchange, terminal ? 200 : 202, view, headers);
  });
}

/** A draft goes on only from a task of the same account: the provider would take any of ours. */
async function checkDrafts(context: VideoContext, accountId: string, drafts: readonly string[]): Promise<void> {
  for (const id of drafts) {
    await findTask(context, accountId, id).catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === "not_found")
        throw invalid("content", "content: draft_task names no task of this account.");
      throw error;
    });
  }
}
