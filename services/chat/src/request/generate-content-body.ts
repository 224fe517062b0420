import { GatewayError } from "@uag/contract/errors/gateway-error";
import { generateContentQuery } from "@uag/contract/requests/generate-content";
import { type BodyReader, jsonBody } from "@uag/pipeline/operation/body-reader";
import type { JsonBody } from "@uag/pipeline/request/body";
import { readQuery } from "@uag/pipeline/request/query";
import { opaqueMembers, withCamelNames } from "@uag/providers/formats/gemini/field-names";
import { pathOf } from "@uag/runtime/http/target";
import { modelInPath } from "./model-in-path.ts";

const json = jsonBody({ opaque: opaqueMembers });
const streaming = "streamGenerateContent";

/**
 * Bodies in Gemini's format, their names in camel case. Their path has what is in the body in other
 * formats, and adds it to the fields: `model`, `stream`, and the query's `alt`.
 */
export const generateContentBody: BodyReader<JsonBody> = {
  async read(exchange, lease) {
    const { fields, ...body } = await json.read(exchange, lease);
    const { target } = exchange;
    const path = pathOf(target);
    const end = path.lastIndexOf(":");
    const named = {
      ...readQuery(generateContentQuery, target),
      model: modelInPath(path.slice(0, end)),
      stream: path.slice(end + 1) === streaming,
    };
    return { ...body, fields: { ...withCamelNames(fields, namedTwice), ...named } };
  },
};

const namedTwice = (param: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: is there twice, in camel case and in snake case.`, { param });
