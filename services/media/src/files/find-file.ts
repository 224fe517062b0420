import { fileListQuery } from "@uag/contract/requests/files";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { readQuery } from "@uag/pipeline/request/query";
import type { FileContext } from "./context.ts";
import { idIn } from "./id-in.ts";
import { viewOf } from "./view.ts";

/** `GET /v1/files/{id}` */
export function getFile(context: FileContext): Operation {
  return defineQuery(context, {
    respond: async ({ target }, { accountId }) => ({
      body: viewOf(await context.files.find(accountId, idIn(target, "files"))),
    }),
  });
}

/** `GET /v1/files`: a page of the account's files. */
export function listFiles(context: FileContext): Operation {
  return defineQuery(context, {
    async respond({ target }, { accountId }) {
      const { limit, after, order, purpose } = readQuery(fileListQuery, target);
      const found = await context.files.list({ accountId, limit: limit + 1, after, order, purpose });
      const data = found.slice(0, limit).map(viewOf);
      const hasMore = found.length > data.length;
      return {
        body: {
          object: "list",
          data,
          first_id: data[0]?.id ?? null,
          last_id: data.at(-1)?.id ?? null,
          has_more: hasMore,
        },
      };
    },
  });
}

/** `GET /v1/files/{id}/content`: the bytes as they were sent. */
export function fileContent(context: FileContext): Operation {
  return defineQuery(context, {
    async respond({ target }, { accountId }) {
      const { files } = context;
      const file = await files.find(accountId, idIn(target, "files"));
      const headers = ["content-type", "application/octet-stream", "content-length", String(file.bytes)];
      const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(file.filename.toWellFormed())}`;
      return { headers: [...headers, "content-disposition", disposition], chunks: files.read(file) };
    },
  });
}

/** `DELETE /v1/files/{id}` */
export function deleteFile(context: FileContext): Operation {
  return defineQuery(context, {
    async respond({ target }, { accountId }) {
      const id = idIn(target, "files");
      await context.files.delete(accountId, id);
      return { body: { id, object: "file", deleted: true } };
    },
  });
}
