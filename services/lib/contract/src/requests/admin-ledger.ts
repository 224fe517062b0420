import { z } from "zod";
import { cursor, id, pageFields, usd } from "./admin-fields.ts";

/** Query of `GET /admin/v1/ledger`: an account, a request, or both. */
export const ledgerQuery = z
  .strictObject({ ...pageFields, request_id: id.optional(), account: id.optional() })
  .refine(({ request_id, account }) => (request_id ?? account) !== undefined, {
    error: "account: set it, or request_id.",
    path: ["account"],
  });

const maxRepairs = 200;

/** Body of `POST /admin/v1/ledger/repair`: one request, or all. */
export const ledgerRepairRequest = z
  .strictObject({
    request_id: id.optional(),
    all: z.literal(true, "all must be true or absent.").optional(),
    cost_usd: usd.refine((nano) => nano >= 0n, "A cost must be 0 or more.").optional(),
    dry_run: z.boolean().default(false),
    limit: z.int().min(1).max(maxRepairs).default(maxRepairs),
    after: cursor.default(""),
  })
  .refine((body) => (body.request_id === undefined) !== (body.all === undefined), {
    error: "Set one request_id, or all.",
    path: ["request_id"],
  })
  .refine((body) => body.cost_usd === undefined || body.request_id !== undefined, {
    error: "A cost requires exactly one request_id.",
    path: ["cost_usd"],
  });
