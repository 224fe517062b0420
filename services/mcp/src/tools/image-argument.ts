import type { Exchange } from "../exchange.ts";
import type { File } from "../gateway/files.ts";
import { ToolError } from "./tool-error.ts";

const dataUrl = /^data:([a-z]+\/[a-z0-9.+-]{1,60});base64,/;
const maxHeadChars = 100;

/**
 * An image given by a data URL, the URL of a file of the gateway, or another URL, which the gateway
 * fetches.
 * @throws {ToolError} when the gateway's file cannot be read
 */
export async function pictureOf(text: string, exchange: Exchange, limit: number): Promise<File | string> {
  const [head, mimeType] = dataUrl.exec(text.slice(0, maxHeadChars)) ?? [];
  if (head !== undefined && mimeType !== undefined)
    return { bytes: Buffer.from(text.slice(head.length), "base64"), mimeType };
  if (!exchange.isOwnFile(text)) return text;
  return await exchange.fetchFile(text, limit).catch((error: unknown) => {
    if (error instanceof RangeError) throw new ToolError(`An image cannot be fetched: ${error.message}`);
    throw error;
  });
}
