import type { Upstream } from "@uag/catalog/types";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import { longToolNames } from "../../conversation/tool-name.ts";
import type { UpstreamProtocol } from "../../translate/protocol.ts";
import { bedrockFailure, failureIn } from "../errors.ts";
import type { EventMessage } from "../event-stream.ts";
import { unframed } from "../unframed.ts";
import { ConverseReader } from "./reader.ts";
import { encodeForConverse } from "./request.ts";
import { converseReport } from "./usage.ts";

function asSse(message: EventMessage, upstream: Upstream): string {
  const failure = failureIn(message, upstream);
  if (failure !== undefined) throw failure;
  const name = message.headers.get(":event-type")?.replace(/\W/g, "") ?? "";
  return encodeSse({ name, data: message.payload.toString("utf8") }).toString();
}

/** Amazon Bedrock's Converse, which is the same for the models of all vendors. */
export const converseProtocol: UpstreamProtocol = {
  encode: encodeForConverse,
  openReader: (call) => new ConverseReader(longToolNames(call.fields)),
  usageIn: ({ usage }) => converseReport(usage),
  failureOf: bedrockFailure,
  unframed: (response, upstream) => unframed(response, (message) => asSse(message, upstream)),
};
