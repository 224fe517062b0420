import { errorText } from "@uag/contract/errors/shapes";
import { type ClientError, reportOf } from "@uag/pipeline/client-error";
import { requestUuid } from "@uag/runtime/ids";

/** DashScope's error body, with the request id as a UUID. */
export function flatErrorBody(clientError: ClientError): Buffer {
  const report = { ...reportOf(clientError), requestId: requestUuid(clientError.requestId) };
  return Buffer.from(errorText("flat", report));
}
