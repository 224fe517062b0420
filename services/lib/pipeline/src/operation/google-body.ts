import { GatewayError } from "@uag/contract/errors/gateway-error";
import { withCamelNames } from "@uag/providers/formats/gemini/field-names";
import { pathOf } from "@uag/runtime/http/target";
import type { JsonBody, JsonOptions } from "../request/body.ts";
import { modelInPath } from "../request/model-in-path.ts";
import { type BodyReader, jsonBody } from "./body-reader.ts";

/**
 * JSON bodies in Google's format, their names in camel case. Their path names the model and the
 * method; the field `model` is the path's, whatever the body has.
 */
export function googleBody(options: JsonOptions = {}): BodyReader<JsonBody> {
  const json = jsonBody(options);
  return {
    async read(exchange, lease) {
      const { fields, ...body } = await json.read(exchange, lease);
      const path = pathOf(exchange.target);
      const model = modelInPath(path.slice(0, path.lastIndexOf(":")));
      return { ...body, fields: { ...withCamelNames(fields, namedTwice), model } };
    },
  };
}

const namedTwice = (param: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: is there twice, in camel case and in snake case.`, { param });
