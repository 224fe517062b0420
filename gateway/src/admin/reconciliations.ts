import { reconciliationQuery } from "@uag/contract/requests/admin-reconciliation";
import type { reconciliation } from "@uag/contract/responses/admin-reconciliation";
import type { Shown } from "@uag/contract/responses/shown";
import type { ReconciledFigure, Reconciliation } from "@uag/proto/billing/v1/admin.ts";
import { usdText } from "@uag/runtime/usd";
import type { AdminHandler } from "./admin.ts";
import { checkedQuery } from "./check.ts";
import { listOf } from "./json.ts";

type Shows = Shown<typeof reconciliation>;

const dayMs = 86_400_000;
const usualDays = 31;
const costUnit = "cost_nano_usd";

function coverage(ours: bigint, theirs: bigint): number | null {
  if (theirs === 0n) return ours === 0n ? 100 : null;
  return Number((ours * 10_000n) / theirs) / 100;
}

function showFigure({ model, unit, ours, theirs, state }: ReconciledFigure): Shows["figures"][number] {
  const isCost = unit === costUnit;
  const text = (quantity: bigint): string => (isCost ? usdText(quantity) : String(quantity));
  const both = ours !== undefined && theirs !== undefined;
  return {
    model: model || null,
    unit: isCost ? "usd" : unit,
    ours: ours === undefined ? null : text(ours),
    theirs: theirs === undefined ? null : text(theirs),
    difference: both ? text(ours - theirs) : null,
    coverage_percent: both ? coverage(ours, theirs) : null,
    state: state as Shows["figures"][number]["state"],
  };
}

function showDay(of: Reconciliation): Shows {
  const { provider, day, state, settled, unreadable, requests, estimated, revisions, atMs, figures } = of;
  return {
    object: "reconciliation",
    provider,
    day,
    state: state as Shows["state"],
    settled,
    unreadable,
    requests,
    estimated_requests: estimated,
    revisions,
    compared_at: new Date(Number(atMs)).toISOString(),
    figures: figures.map(showFigure),
  };
}

/** Our usage and cost beside what providers report of theirs, by provider and day. */
export const listReconciliations: AdminHandler = async ({ clients, url }) => {
  const { provider = "", from, to = new Date().toISOString().slice(0, 10) } = checkedQuery(reconciliationQuery, url);
  const first = from ?? new Date(Date.parse(to) - usualDays * dayMs).toISOString().slice(0, 10);
  const { days } = await clients.admin.listReconciliations({ provider, from: first, to });
  return { body: listOf(days.map(showDay), "") };
};
