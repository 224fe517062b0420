import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { RecordActionRequest, RecordActionResponse } from "@uag/proto/billing/v1/admin.ts";
import { recordChange } from "../audit/record.ts";
import type { Billing } from "../billing.ts";

const action = /^[a-z_]{1,32}\.[a-z_]{1,32}$/;
const maxIdLength = 400;
const maxAfterLength = 8_192;

/** @throws {GatewayError} `invalid_request` */
function check(request: RecordActionRequest): void {
  const { targetId, accountId, after } = request;
  if (!action.test(request.action)) {
    throw new GatewayError("invalid_request", "An action must be a name such as key.update.", { param: "action" });
  }
  if (targetId === "" || targetId.length > maxIdLength || accountId.length > maxIdLength) {
    throw new GatewayError("invalid_request", "An id must have 1 to 400 characters.", { param: "target_id" });
  }
  if (after.length > maxAfterLength) {
    throw new GatewayError("invalid_request", "The requested parameters are too long.", { param: "after" });
  }
}

/** Appends a row to the audit log about an action in another service. */
export async function recordAction(billing: Billing, request: RecordActionRequest): Promise<RecordActionResponse> {
  check(request);
  const { actor, targetId, accountId, after } = request;
  const change = { actor, action: request.action, targetId, accountId, after };
  await billing.transact((transaction) => recordChange(billing.store, transaction, change));
  return {};
}
