import type { GenerationFormat } from "../../translate/client.ts";
import { readResponses } from "./read.ts";
import { responseOf } from "./response.ts";
import { ResponsesWriter } from "./writer.ts";

/** OpenAI's Responses format, for upstreams of every protocol; nothing of it is stored. */
export const responsesFormat: GenerationFormat = {
  read: readResponses,
  response: responseOf,
  openWriter: (call) => new ResponsesWriter(call),
};
