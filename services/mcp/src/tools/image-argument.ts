import { GatewayError } from "@uag/contract/errors/gateway-error";
import { UrlError } from "@uag/untrusted/http/url-error";
import type { Exchange } from "../exchange.ts";
import type { File } from "../gateway/files.ts";
import { ToolError } from "./tool-error.ts";

const dataUrl = /^data:([a-z]+\/[a-z0-9.+-]{1,60});base64,/;
const maxHeadChars = 100;

/**
 * An image given by a data URL or an https URL.
 * @throws {ToolError} when there is none
 */
export async function pictureOf(text: string, exchange: Exchange, limit: number): Promise<File> {
  const [head, mimeType] = dataUrl.exec(text.slice(0, maxHeadChars)) ?? [];
  if (head !== undefined && mimeType !== undefined)
    return { bytes: Buffer.from(text.slice(head.length), "base64"), mimeType };
  try {
    return await exchange.fetchFile(text, limit);
  } catch (error) {
    if (error instanceof UrlError || error instanceof RangeError || isOverBudget(error))
      throw new ToolError(`An image cannot be fetched: ${error.message}`);
    throw error;
  }
}

function isOverBudget(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === "rate_limit_exceeded";
}
