import { type ClientError, reportOf } from "@uag/capability/client-error.ts";
import { errorText } from "@uag/contract/errors/shapes.ts";
import { requestUuid } from "@uag/kit/ids.ts";

/** DashScope's error body, with the request id as a UUID. */
export function flatErrorBody(clientError: ClientError): Buffer {
  const report = { ...reportOf(clientError), requestId: requestUuid(clientError.requestId) };
  return Buffer.from(errorText("flat", report));
}
