import { batchListQuery } from "@uag/contract/requests/batches";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { readQuery } from "@uag/pipeline/request/query";
import { idIn } from "../files/id-in.ts";
import type { BatchOwner } from "./batch.ts";
import type { BatchContext } from "./context.ts";
import { viewOf } from "./view.ts";

const ownerOf = ({ accountId }: { accountId: string }): BatchOwner => ({ accountId, format: "openai" });

/** `GET /v1/batches/{id}` */
export function getBatch({ batches, ...context }: BatchContext): Operation {
  return defineQuery(context, {
    respond: async ({ target }, caller) => ({
      body: viewOf(await batches.find(ownerOf(caller), idIn(target, "batches"))),
    }),
  });
}

/** `GET /v1/batches`: a page of the account's batches. */
export function listBatches({ batches, ...context }: BatchContext): Operation {
  return defineQuery(context, {
    async respond({ target }, caller) {
      const { limit, after } = readQuery(batchListQuery, target);
      const found = await batches.list(ownerOf(caller), { limit: limit + 1, after });
      const data = found.slice(0, limit).map(viewOf);
      const [firstId, lastId] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
      return {
        body: { object: "list", data, first_id: firstId, last_id: lastId, has_more: found.length > data.length },
      };
    },
  });
}

/** `POST /v1/batches/{id}/cancel` */
export function cancelBatch({ batches, ...context }: BatchContext): Operation {
  return defineQuery(context, {
    respond: async ({ target }, caller) => ({
      body: viewOf(await batches.cancel(ownerOf(caller), idIn(target, "batches"))),
    }),
  });
}
