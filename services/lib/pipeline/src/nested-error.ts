import { errorText } from "@uag/contract/errors/shapes";
import { type ErrorFormat, reportOf } from "./client-error.ts";

/**
 * OpenAI's error body; what an upstream reported about the request itself keeps its wording and
 * codes.
 */
export const nestedErrors: ErrorFormat = {
  errorBody: (clientError) => Buffer.from(errorText("nested", reportOf(clientError))),
};
