import { acceptPriceRequest, putPriceTableRequest } from "@uag/contract/requests/admin-prices";
import { acceptedPrice, priceReview, priceTable } from "@uag/contract/responses/admin-prices";
import { admin } from "./admin-operation.ts";
import type { Operation } from "./operation.ts";

/** Documentation of the review of prices. */
export const prices: Readonly<Record<string, Operation>> = {
  "admin.prices.review": admin(
    "Catalogue",
    "reviewPrices",
    "Compares the catalogue's prices with public tables, and lists the changes that can be accepted",
    ["PriceReview", priceReview],
  ),
  "admin.prices.accept": admin(
    "Catalogue",
    "acceptPrice",
    "Accepts a price: it is in force within seconds",
    ["PriceAccepted", acceptedPrice],
    { request: acceptPriceRequest, status: 201 },
  ),
  "admin.prices.table": admin(
    "Catalogue",
    "putPriceTable",
    "Replaces a public table of prices, which `npm run prices -- fetch` does",
    ["PriceTable", priceTable],
    { request: putPriceTableRequest },
  ),
};
