import { createHash } from "node:crypto";
import type { ListAcceptedPricesRequest, ListAcceptedPricesResponse } from "@uag/proto/billing/v1/prices.ts";
import type { Billing } from "../billing.ts";
import { acceptedPrices } from "../prices/accepted.ts";

/** The prices that were accepted here; none if the caller has this version of the list. */
export async function listAcceptedPrices(
  { store }: Billing,
  { version: known }: ListAcceptedPricesRequest,
): Promise<ListAcceptedPricesResponse> {
  const rows = (await acceptedPrices(store)).map((row) => JSON.stringify(row));
  const version = createHash("sha256").update(rows.join("\n")).digest("hex").slice(0, 16);
  return { version, rows: version === known ? [] : rows };
}
