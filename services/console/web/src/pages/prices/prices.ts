import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import type { PriceReview } from "../../api/types.ts";
import { percentChange } from "../../format/number.ts";

export type Reviewed = PriceReview["models"][number];
export type Option = Reviewed["options"][number];

export const pricesQuery = queryOptions({
  queryKey: ["prices"],
  queryFn: ({ signal }) => call<PriceReview>("/admin/v1/prices", { signal }),
});

/** A price without the zeros after its last digit, in the notation of the catalogue. */
export const priceText = (usd: string | null | undefined): string =>
  usd == null ? "—" : usd.replace(/\.?0{1,9}$/, "");

/** The change with its sign; a dash for a price that is new. */
export const percentText = (percent: number | null): string => (percent === null ? "—" : percentChange(percent));

/** The change that is proposed first: what both tables have. */
export const firstOption = ({ options }: Reviewed): Option | undefined => options[0];

/** The largest change of an option, by its size; null when every price is new. */
export function largestChange(option: Option | undefined): number | null {
  const changes = option?.changes.flatMap(({ change_percent: percent }) => (percent === null ? [] : [percent])) ?? [];
  return changes.sort((a, b) => Math.abs(b) - Math.abs(a))[0] ?? null;
}

/** What last month's use of the changed prices cost, and would have cost, in USD. */
export function lastMonth(option: Option | undefined): { readonly before: string; readonly after: string } | undefined {
  if (option === undefined) return undefined;
  const sum = (amounts: readonly (string | null)[]): string =>
    amounts.reduce((total, usd) => total + Number(usd ?? 0), 0).toFixed(9);
  return {
    before: sum(option.changes.map(({ last_month_usd: usd }) => usd)),
    after: sum(option.changes.map(({ last_month_after_usd: usd }) => usd)),
  };
}
