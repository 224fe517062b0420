import { checked } from "@uag/untrusted/schema-fault";
import { z } from "zod";
import type { JsonBody } from "./body.ts";

const schema = z.object({ model: z.string().min(1) });

/**
 * The model that a JSON body names.
 * @throws {GatewayError} `invalid_request` when it names none
 */
export function modelOf({ fields }: Pick<JsonBody, "fields">): string {
  return checked(schema, fields).model;
}
