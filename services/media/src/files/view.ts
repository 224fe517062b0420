import type { FileDocument } from "./file.ts";

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** A file as its owner sees it. */
export function viewOf({ _id, bytes, createdAt, expiresAt, filename, purpose }: FileDocument) {
  return {
    id: _id,
    object: "file",
    bytes,
    created_at: seconds(createdAt),
    ...(expiresAt !== undefined && { expires_at: seconds(expiresAt) }),
    filename,
    purpose,
    status: "processed",
  };
}
