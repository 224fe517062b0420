import { fileFields, maxFileBytes } from "@uag/contract/requests/files";
import type { LinkExchange } from "@uag/link/server-exchange";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { readUpload } from "@uag/pipeline/request/upload";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { newId } from "@uag/runtime/ids";
import { checked } from "@uag/untrusted/schema-fault";
import type { FileContext } from "./context.ts";
import type { FileDocument } from "./file.ts";
import { viewOf } from "./view.ts";

/** Longer than the longest request. */
const uploadMs = 2 * 3_600_000;
const daySeconds = 86_400;
/** As at OpenAI, where other files stay until they are deleted. */
const batchFileSeconds = 30 * daySeconds;

/** `POST /v1/files`: the file goes to the store while it arrives. */
export function createFile(context: FileContext): Operation {
  const operation = defineQuery(context, {
    respond: async (exchange, caller) => ({ body: viewOf(await receive(context, exchange, caller)) }),
  });
  return { ...operation, storesBody: true };
}

async function receive(
  { files, clock }: FileContext,
  exchange: LinkExchange,
  { accountId, keyId }: Caller,
): Promise<FileDocument> {
  const now = await clock.moment();
  const id = newId("file");
  const objectId = newId("object");
  await files.begin({
    _id: id,
    accountId,
    keyId,
    filename: "",
    purpose: "user_data",
    bytes: Math.min(maxFileBytes, declaredLength(exchange)),
    objectId,
    state: "uploading",
    createdAt: new Date(now),
    removeAt: new Date(now + uploadMs),
  });
  try {
    const { stored, fields } = await readUpload(exchange.body(), exchange.header("content-type"), {
      field: "file",
      maxFileBytes,
      store: async ({ filename, bytes }) => ({
        filename: baseName(filename),
        bytes: await files.objects.put(objectId, "application/octet-stream", bytes),
      }),
    });
    const { purpose, expires_after: expiry } = checked(fileFields, { ...nested(fields), file: stored && "" });
    const lifeSeconds = expiry?.seconds ?? (purpose === "batch" ? batchFileSeconds : undefined);
    const { filename = "", bytes = 0 } = stored ?? {};
    return await files.complete(id, {
      filename,
      purpose,
      bytes,
      ...(lifeSeconds !== undefined && { expiresAt: new Date(now + lifeSeconds * 1_000) }),
    });
  } catch (error) {
    // What cannot be removed now, the sweeper removes.
    await files.discard(id).catch(() => undefined);
    throw error;
  }
}

function declaredLength(exchange: LinkExchange): number {
  const length = Number(exchange.header("content-length") ?? "");
  return Number.isSafeInteger(length) && length > 0 ? length : maxFileBytes;
}

/** Fields such as `expires_after[seconds]` as members of an object. */
function nested(fields: ReadonlyMap<string, string>): Record<string, unknown> {
  const result: Record<string, unknown> = Object.fromEntries(fields);
  const expiry = [...fields].flatMap(([name, value]) => {
    const [, member] = /^expires_after\[(anchor|seconds)\]$/.exec(name) ?? [];
    return member === undefined ? [] : [[member, value]];
  });
  if (expiry.length > 0) result["expires_after"] = Object.fromEntries(expiry);
  return result;
}

/** Without folders and control characters. */
function baseName(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  return name.replaceAll(/[\u0000-\u001f\u007f]/g, "");
}
