import { GatewayError } from "@uag/contract/errors/gateway-error";

const models = "/models/";

/**
 * The model that a path names.
 * @throws {GatewayError} `invalid_request` for a path that cannot be decoded
 */
export function modelInPath(path: string): string {
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf(models) + models.length));
  } catch (cause) {
    throw new GatewayError("invalid_request", "The path is not valid.", { cause });
  }
}
