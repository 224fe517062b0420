import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isRefusalReason } from "@uag/contract/messages/refusals";
import { refusalListQuery, refusalSeriesQuery } from "@uag/contract/requests/admin-refusals";
import type { refusal, refusalSeries } from "@uag/contract/responses/admin-refusals";
import type { Shown } from "@uag/contract/responses/shown";
import type { Refusal, RefusalFilter, RefusalGroup } from "@uag/proto/metering/v1/refusals.ts";
import type { z } from "zod";
import type { AdminHandler } from "./admin.ts";
import { checkedQuery } from "./check.ts";
import { listOf } from "./json.ts";

const timeoutMs = 20_000;

const isoText = (ms: bigint): string => new Date(Number(ms)).toISOString();

const filterOf = ({ account, key, reason }: z.output<typeof refusalListQuery>): RefusalFilter => ({
  accountId: account ?? "",
  keyId: key ?? "",
  reason: reason ?? "",
});

function showRefusal(refused: Refusal): Shown<typeof refusal> {
  const { reason } = refused;
  if (!isRefusalReason(reason)) throw new Error("metering returned a refusal with an unknown reason");
  return {
    object: "refusal",
    request_id: refused.requestId,
    account_id: refused.accountId,
    key_id: refused.keyId,
    reason,
    status: refused.status,
    operation: refused.operation,
    model: refused.model === "" ? null : refused.model,
    message: refused.message,
    refused_at: isoText(refused.refusedAtMs),
  };
}

/** The latest refused requests of an account, a key or a reason. */
export const listRefusals: AdminHandler = async ({ clients, url }) => {
  const filter = filterOf(checkedQuery(refusalListQuery, url));
  const { refusals } = await clients.refusals.listRefusals({ filter }, { timeoutMs });
  return { body: listOf(refusals.map(showRefusal), "") };
};

const showGroup = (
  { name, other, total, points }: RefusalGroup,
  grouped: boolean,
): Shown<typeof refusalSeries>["groups"][number] => ({
  name: grouped && !other ? name : null,
  other,
  total,
  points: points.map(({ startMs, refusals }) => ({ start: isoText(startMs), refusals })),
});

/** Refused requests over time, by account, key or reason. */
export const showRefusalSeries: AdminHandler = async ({ clients, url }) => {
  const { bucket, group_by: groupBy, top, from = 0n, until = 0n, ...rest } = checkedQuery(refusalSeriesQuery, url);
  if (until !== 0n && until <= from) {
    throw new GatewayError("invalid_request", "until must be after from.", { param: "until" });
  }
  const request = { filter: filterOf(rest), fromMs: from, untilMs: until, bucket, groupBy, top };
  const { groups, fromMs, untilMs } = await clients.refusals.queryRefusals(request, { timeoutMs });
  const body: Shown<typeof refusalSeries> = {
    object: "refusal_series",
    bucket,
    group_by: groupBy,
    from: isoText(fromMs),
    until: isoText(untilMs),
    groups: groups.map((group) => showGroup(group, groupBy !== "none")),
  };
  return { body };
};
