import { GatewayError } from "@uag/contract/errors/gateway-error";
import { nestedError } from "@uag/contract/errors/shapes";
import { isErrorCode } from "@uag/contract/errors/table";
import type { Method } from "@uag/contract/routes";
import { boundedText } from "@uag/runtime/http/bounded-text";
import { type Dispatcher, request } from "undici";

const maxResponseBytes = 8 * 1024 * 1024;
const timeoutMs = 20_000;

export interface AdminCall {
  readonly method: Method;
  /** Below `/admin/v1`, with its query. */
  readonly path: string;
  readonly body?: object;
}

/** The admin API, called by the console itself. */
export class AdminApi {
  readonly #baseUrl: string;
  readonly #dispatcher: Dispatcher;

  constructor({ baseUrl, dispatcher }: { baseUrl: string; dispatcher: Dispatcher }) {
    this.#baseUrl = baseUrl.replace(/\/$/, "");
    this.#dispatcher = dispatcher;
  }

  /**
   * @throws {GatewayError} the admin API's error; `service_unavailable` when it cannot be reached
   */
  async call(token: string, { method, path, body }: AdminCall): Promise<unknown> {
    const response = await request(this.#baseUrl + path, {
      method,
      dispatcher: this.#dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new GatewayError("service_unavailable", undefined, { cause });
    });
    const reported: unknown = JSON.parse(await boundedText(response.body, maxResponseBytes));
    if (response.statusCode < 300) return reported;
    throw refusalOf(reported, response.headers["x-request-id"]);
  }
}

function refusalOf(reported: unknown, requestId: unknown): GatewayError {
  const { success, data } = nestedError.safeParse(reported);
  if (!success) return new GatewayError("internal_error", undefined, { cause: reported });
  const { code, message, param } = data.error;
  if (!isErrorCode(code)) return new GatewayError("internal_error", undefined, { cause: reported });
  const cause = new Error(`the admin API reports ${code} for the request ${requestId}`);
  return new GatewayError(code, message, { param: param ?? undefined, cause });
}
