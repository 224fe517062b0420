import { digestKey, parseKey } from "@uag/kit/api-key.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import type { Request } from "express";
import { bearerKey } from "../keys/bearer.ts";
import type { AdminClients } from "./admin.ts";

const hint = "Send it as: Authorization: Bearer <admin token>.";
const formed = /^[\x21-\x7e]{24,200}$/;

function tokenOf(request: Request): string {
  let token: string;
  try {
    token = bearerKey(request.headers, request.rawHeaders);
  } catch (cause) {
    throw new GatewayError("invalid_api_key", `No admin token was sent. ${hint}`, { cause });
  }
  if (parseKey(token) !== undefined) {
    throw new GatewayError("invalid_api_key", `An API key does not open the admin API; an admin token does. ${hint}`);
  }
  if (!formed.test(token)) throw new GatewayError("invalid_api_key", `The admin token is not valid. ${hint}`);
  return token;
}

/**
 * Whose admin token a request carries. Billing is asked each time, so a revoked token ends at once.
 * @throws {GatewayError} `invalid_api_key`; `service_unavailable` when billing cannot be asked
 */
export async function adminOf(
  request: Request,
  options: { clients: AdminClients; pepper: Buffer; requestId: string },
): Promise<Actor> {
  const { clients, pepper, requestId } = options;
  const digest = digestKey(tokenOf(request), pepper);
  try {
    const { id, name } = await clients.admin.resolveAdminToken({ digest });
    return { id, name, requestId };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== "not_found") throw error;
    throw new GatewayError("invalid_api_key", `The admin token is not valid. ${hint}`);
  }
}
