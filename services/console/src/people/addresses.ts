import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { NotificationServiceServer } from "@uag/proto/notifications/v1/notifications.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { type Request, type Response, Router } from "express";
import { z } from "zod";
import { readChecked } from "../http/read-json.ts";
import { requestIdOf } from "../http/refuse.ts";
import type { SignInParts } from "../sign-in/parts.ts";
import { addressOf } from "./authenticate.ts";

/** Notifications, which has mailed the links. */
export type AddressConfirmer = Pick<RpcClient<NotificationServiceServer>, "confirmAddress">;

interface Parts extends Pick<SignInParts, "throttle" | "audit" | "events"> {
  readonly notifications: AddressConfirmer | undefined;
}

const link = z.strictObject({ token: z.string().max(100) });

/**
 * The route for those who have the link of a confirmation mail. Only a POST confirms: mail scanners
 * open links.
 */
export function addressRoutes(parts: Parts): Router {
  const router = Router();
  router.post("/address-confirmations", (request, response) => confirm(request, response, parts));
  return router;
}

/**
 * Confirms the address that a token was mailed to. Attempts are limited like sign-ins. The audit
 * row follows the action, for only a valid token names the account and the address.
 */
async function confirm(
  request: Request,
  response: Response,
  { notifications, throttle, audit, events }: Parts,
): Promise<void> {
  if (notifications === undefined) throw new GatewayError("not_found");
  const { token } = await readChecked(request, link);
  const clientAddress = addressOf(request);
  const giveBack = await throttle.count({ address: clientAddress, name: `confirmation ${clientAddress}` });
  const { accountId, address } = await notifications.confirmAddress({ token });
  await giveBack();
  const actor = { id: "anonymous", name: address, requestId: requestIdOf(request), clientAddress };
  const row = { action: "console.address_confirm", targetId: address, accountId } as const;
  await audit.record(actor, row).catch(events.unrecorded);
  response.json({ object: "console_confirmed_address", account_id: accountId, email: address });
}
