import type { Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { countTokensRequest, generateContentRequest } from "@uag/contract/requests/generate-content";
import type { Fields, JsonBody } from "@uag/pipeline/request/body";
import { fieldsOf, isFields, listOf, textOf } from "@uag/providers/conversation/fields";
import { noServerTools, refusedTool } from "@uag/providers/formats/server-tools";
import { checkRefusedFields, checkRefusedMembers, hasCostlyField } from "@uag/providers/passed-fields/check";
import { generateContentFieldCosts } from "@uag/providers/passed-fields/generate-content";
import { checked } from "@uag/untrusted/schema-fault";
import type { GenerationRequest } from "../format.ts";

/**
 * Checks a request in Gemini's format.
 * @throws {GatewayError} `invalid_request`, naming the field
 */
export function readGenerateContent({ body, fields }: JsonBody, model: Model): GenerationRequest {
  const { generationConfig } = checkedRequest(fields);
  checkRefusedMembers("generationConfig", fieldsOf(generationConfig), generateContentFieldCosts);
  return {
    body,
    fields,
    stream: fields["stream"] === true,
    framing: fields["alt"] === "sse" ? "events" : "array",
    usageWanted: true,
    candidates: generationConfig?.candidateCount ?? 1,
    outputCap: generationConfig?.maxOutputTokens ?? undefined,
    serverTools: noServerTools,
    hasUnclassedField: hasCostlyField(fields, generateContentFieldCosts, model),
  };
}

/**
 * The request whose tokens a body counts: its `generateContentRequest`, or its contents.
 * @throws {GatewayError} `invalid_request`, naming the field
 */
export function countedRequest(fields: Fields): Fields {
  const { generateContentRequest: whole, contents } = checked(countTokensRequest, fields);
  const request: Fields = whole ?? { contents };
  checkedRequest(request);
  return request;
}

function checkedRequest(fields: Fields) {
  const request = checked(generateContentRequest, fields);
  checkRefusedFields(fields, generateContentFieldCosts);
  checkTools(fields);
  checkFiles(fields);
  return request;
}

/** Google runs every tool but functions itself. */
function checkTools({ tools }: Fields): void {
  for (const [index, tool] of listOf(tools).entries()) {
    const own = Object.keys(fieldsOf(tool)).find((name) => name !== "functionDeclarations");
    if (own !== undefined) throw refusedTool(own, `tools[${index}].${own.slice(0, 60)}`);
  }
}

const webUrl = /^https?:\/\//i;
/** Files uploaded to Google, which belong to the operator's account. */
const googleFile = /^https?:\/\/[^/]*\bgoogleapis\.com(?:[:/]|$)/i;

function checkFiles({ contents }: Fields): void {
  for (const [at, content] of listOf(contents).entries())
    for (const [index, part] of listOf(fieldsOf(content)["parts"]).entries()) {
      const { fileData } = fieldsOf(part);
      const uri = isFields(fileData) ? (textOf(fileData["fileUri"]) ?? "") : undefined;
      if (uri === undefined || (webUrl.test(uri) && !googleFile.test(uri))) continue;
      const param = `contents[${at}].parts[${index}].fileData.fileUri`;
      const text = `${param}: must be the http or https URL of a public file. Send other files as inlineData.`;
      throw new GatewayError("invalid_request", text, { param });
    }
}
