import { errorText } from "@uag/contract/errors/shapes";
import { type ErrorFormat, reportOf } from "./client-error.ts";

/** Google's error body. */
export const googleErrors: ErrorFormat = {
  errorBody: (clientError) => Buffer.from(errorText("google", reportOf(clientError))),
};
