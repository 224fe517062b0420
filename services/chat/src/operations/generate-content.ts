import { errorEvent, errorText } from "@uag/contract/errors/shapes";
import { type ClientError, reportOf } from "@uag/pipeline/client-error";
import { googleErrors } from "@uag/pipeline/google-errors";
import { eventStreamHeaders } from "@uag/pipeline/operation/headers";
import { modelOf } from "@uag/pipeline/request/model-of";
import { geminiFormat } from "@uag/providers/formats/gemini/format";
import { generateContentFieldCosts } from "@uag/providers/passed-fields/generate-content";
import type { ClientFormat } from "../format.ts";
import { generateContentBody } from "../request/generate-content-body.ts";
import { readGenerateContent } from "../request/generate-content-request.ts";

const arrayHeaders = ["content-type", "application/json", ...eventStreamHeaders.slice(2)];
const none: readonly string[] = [];

const textOf = (clientError: ClientError): string => errorText("google", reportOf(clientError));

/** `POST /v1beta/models/{model}:streamGenerateContent` */
export const streamGenerateContent: ClientFormat = {
  name: "stream_generate_content",
  format: geminiFormat,
  outputCapField: "generationConfig.maxOutputTokens",
  body: generateContentBody,
  knownFields: generateContentFieldCosts,
  modelOf: (fields) => modelOf({ fields }),
  read: readGenerateContent,
  passedHeaders: () => none,
  ...googleErrors,
  keepAlive: undefined,
  streamHeaders: ({ framing }) => (framing === "array" ? arrayHeaders : eventStreamHeaders),
  // An error follows at least one response.
  errorEvent: (clientError, { framing }) =>
    Buffer.from(framing === "array" ? `,\r\n${textOf(clientError)}]` : errorEvent("google", reportOf(clientError))),
};

/** `POST /v1beta/models/{model}:generateContent` */
export const generateContent: ClientFormat = {
  ...streamGenerateContent,
  name: "generate_content",
  neverStreams: true,
};
