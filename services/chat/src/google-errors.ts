import { errorText } from "@uag/contract/errors/shapes";
import { type ErrorFormat, reportOf } from "@uag/pipeline/client-error";

/** Google's error body. */
export const googleErrors: ErrorFormat = {
  errorBody: (clientError) => Buffer.from(errorText("google", reportOf(clientError))),
};
