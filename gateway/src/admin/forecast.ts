import type { forecast } from "@uag/contract/responses/admin-money";
import type { Shown } from "@uag/contract/responses/shown";
import type { SeriesPoint } from "@uag/proto/metering/v1/metering.ts";
import { usdText } from "@uag/runtime/usd";
import type { AdminHandler } from "./admin.ts";

const dayMs = 86_400_000;
const days = 7;
const timeoutMs = 20_000;

const chargedIn = ({ measures }: SeriesPoint): bigint =>
  (measures?.costNanoUsd ?? 0n) - (measures?.writtenOffNanoUsd ?? 0n);

/** The charges of each of the last seven 24-hour periods, oldest first, from hourly points. */
function byDay(points: readonly SeriesPoint[], fromMs: number): { startMs: number; nano: bigint }[] {
  return Array.from({ length: days }, (_, day) => {
    const startMs = fromMs + day * dayMs;
    const own = points.filter((point) => Math.floor((Number(point.startMs) - fromMs) / dayMs) === day);
    return { startMs, nano: own.reduce((sum, point) => sum + chargedIn(point), 0n) };
  });
}

/** An account's money, its recent spending, and how long the money lasts at that rate. */
export const showForecast: AdminHandler = async ({ clients, id }) => {
  const account = await clients.accounts.getAccount({ id });
  const hourMs = 3_600_000;
  // The current hour is part of the last day.
  const fromMs = Math.ceil((Date.now() + 1) / hourMs) * hourMs - days * dayMs;
  const names = { accountId: id, keyId: "", model: "", operation: "" };
  const filter = { ...names, fromMs: BigInt(fromMs), untilMs: 0n };
  const { groups } = await clients.metering.querySeries(
    { filter, bucket: "hour", groupBy: "none", top: 1 },
    { timeoutMs },
  );
  const spending = byDay(groups[0]?.points ?? [], fromMs);
  const spent = spending.reduce((sum, { nano }) => sum + nano, 0n);
  const money = account.availableNanoUsd + account.heldNanoUsd;
  const body: Shown<typeof forecast> = {
    object: "forecast",
    account_id: id,
    available_usd: usdText(account.availableNanoUsd),
    available_nano_usd: account.availableNanoUsd,
    held_usd: usdText(account.heldNanoUsd),
    held_nano_usd: account.heldNanoUsd,
    spent_last_7_days_usd: usdText(spent),
    spent_last_7_days_nano_usd: spent,
    days: spending.map(({ startMs, nano }) => ({
      start: new Date(startMs).toISOString(),
      cost_usd: usdText(nano),
      cost_nano_usd: nano,
    })),
    days_left: spent > 0n ? Math.round((Number(money) / Number(spent)) * days * 10) / 10 : null,
  };
  return { body };
};
