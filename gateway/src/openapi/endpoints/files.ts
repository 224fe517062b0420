import { fileFields, fileListQuery } from "@uag/contract/requests/files";
import { deletedFile, file, fileList } from "@uag/contract/responses/files";
import type { Call } from "../examples/types.ts";
import type { Operation } from "../operation.ts";

export const tags = {
  Files: "Files of an account, in the format of OpenAI's API. Every key of the account can read and delete them.",
};

/** Files. Each example needs the one before: `callFiles` sends them. */
export const endpoints = {
  "files.create": {
    id: "createFile",
    tag: "Files",
    summary: "Stores a file",
    request: { FileForm: fileFields },
    ok: { json: { File: file } },
    errors: ["storage_limit_exceeded"],
  },
  "files.list": {
    id: "listFiles",
    tag: "Files",
    summary: "Lists the account's files, newest first",
    ok: { json: { FileList: fileList } },
    query: fileListQuery.shape,
  },
  "files.get": { id: "getFile", tag: "Files", summary: "Shows a file", ok: { json: { File: file } } },
  "files.content": {
    id: "getFileContent",
    tag: "Files",
    summary: "Returns a file's content",
    ok: { bytes: true },
  },
  "files.delete": {
    id: "deleteFile",
    tag: "Files",
    summary: "Deletes a file",
    ok: { json: { DeletedFile: deletedFile } },
  },
} satisfies Readonly<Record<string, Operation>>;

/** Sends the examples of files, in a working order. */
export async function callFiles(call: Call): Promise<void> {
  const content = new File(["the first line\n"], "notes.txt", { type: "text/plain" });
  const { id } = await call("files.create", ["text", "A file that is only stored"], {
    form: { purpose: "user_data", file: content },
  });
  const path = { id: String(id) };
  await call("files.list", ["newest", "The newest two"], { query: { limit: 2 } });
  await call("files.get", ["file", "A file"], { path });
  await call("files.content", ["text", "A file's content"], { path });
  await call("files.delete", ["file", "A file"], { path });
}
