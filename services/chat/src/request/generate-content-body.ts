import { generateContentQuery } from "@uag/contract/requests/generate-content";
import type { BodyReader } from "@uag/pipeline/operation/body-reader";
import { googleBody } from "@uag/pipeline/operation/google-body";
import type { JsonBody } from "@uag/pipeline/request/body";
import { readQuery } from "@uag/pipeline/request/query";
import { opaqueMembers } from "@uag/providers/formats/gemini/field-names";
import { pathOf } from "@uag/runtime/http/target";

const google = googleBody({ opaque: opaqueMembers });

/**
 * Bodies in Gemini's format. Their target has what is in the body in other formats, and adds it to
 * the fields: `stream`, and the query's `alt`.
 */
export const generateContentBody: BodyReader<JsonBody> = {
  async read(exchange, lease) {
    const { fields, ...body } = await google.read(exchange, lease);
    const { target } = exchange;
    const stream = pathOf(target).endsWith(":streamGenerateContent");
    return { ...body, fields: { ...fields, ...readQuery(generateContentQuery, target), stream } };
  },
};
