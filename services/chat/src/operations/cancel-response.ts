import { GatewayError } from "@uag/contract/errors/gateway-error";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { memberOf } from "../state/items.ts";
import { findResponse, responseIdIn, type StateContext, shownJob } from "./stored-responses.ts";

/**
 * `POST /v1/responses/{id}/cancel`: what the provider has done by then is billed. A response that has
 * ended is returned as it is.
 */
export function cancelResponse(context: StateContext): Operation {
  return defineQuery(context, {
    async respond({ target }, caller) {
      const { accountId } = caller;
      const job = await context.background?.jobs.cancel(accountId, responseIdIn(target));
      if (job !== undefined) {
        context.background?.wake();
        return { body: await shownJob(context, job) };
      }
      const response = await findResponse(context, caller, target);
      if (Buffer.isBuffer(response) && memberOf(response, "background")?.toString() !== "true")
        throw new GatewayError("invalid_request", "Only responses that are made in the background can be cancelled.", {
          param: "id",
        });
      return { body: response };
    },
  });
}
