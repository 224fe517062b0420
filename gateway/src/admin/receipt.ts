import type { receipt } from "@uag/contract/responses/admin-money";
import type { Shown } from "@uag/contract/responses/shown";
import type { FailedAttempt, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { itemsOf, showSaving } from "../receipts/items.ts";
import type { AdminHandler } from "./admin.ts";
import { timeText } from "./json.ts";
import { showEntry } from "./show-account.ts";
import { showEvent } from "./show-usage.ts";

type Receipt = Shown<typeof receipt>;

/** Failures of the operator's account at a provider: their details are only for operators. */
const ofOperator: ReadonlySet<string> = new Set(["operator", "quota", "capacity"]);

const noDetails = { code: null, message: null, provider_request_id: null };

function detailsOf(attempt: FailedAttempt, isOperator: boolean) {
  if (!isOperator && ofOperator.has(attempt.failure)) return noDetails;
  const { code = null, message = null, upstreamRequestId = null } = attempt;
  return { code, message, provider_request_id: upstreamRequestId };
}

/** The failed calls and the successful one. */
function attemptsOf(event: UsageEvent, isOperator: boolean): Receipt["attempts"] {
  const { startedAtMs, endedAtMs, failedAttempts, upstream, upstreamModel } = event;
  const failed = failedAttempts.map((attempt): Receipt["attempts"][number] => ({
    provider: attempt.upstream,
    model: attempt.upstreamModel,
    credential: attempt.credential || null,
    provider_reason: attempt.upstreamReason ?? null,
    credential_reason: attempt.credentialReason ?? null,
    started_at: timeText(startedAtMs + BigInt(attempt.afterMs)),
    duration_ms: attempt.durationMs,
    outcome: attempt.failure,
    status: attempt.status === 0 ? null : attempt.status,
    ...detailsOf(attempt, isOperator),
    mid_stream: attempt.midStream,
  }));
  if (event.attempts <= failed.length || upstream === "") return failed;
  const last = failedAttempts.at(-1);
  const startMs = startedAtMs + BigInt(last === undefined ? 0 : last.afterMs + last.durationMs);
  const succeeded = {
    provider: upstream,
    model: upstreamModel,
    credential: event.upstreamCredential ?? null,
    provider_reason: event.upstreamReason ?? null,
    credential_reason: event.credentialReason ?? null,
    started_at: timeText(startMs),
    duration_ms: endedAtMs > startMs ? endedAtMs - startMs : 0n,
    outcome: "answered",
    status: null,
    ...noDetails,
    provider_request_id: event.upstreamRequestId ?? null,
    mid_stream: false,
  };
  return [...failed, succeeded];
}

/** Everything known about one request's bill. */
export const showReceipt: AdminHandler = async ({ admin, clients, id: requestId }) => {
  const event = await clients.metering.getEvent({ requestId });
  const { accountId, priceVersion, units } = event;
  const page = { limit: 0, cursor: "" };
  const [{ items, cacheSaving }, { entries }] = await Promise.all([
    clients.admin.itemize({ priceVersion, units }),
    clients.ledger.listEntries({ accountId, requestId, page }),
  ]);
  const body: Receipt = {
    object: "receipt",
    event: showEvent(event),
    items: itemsOf(event, items),
    cache_saving: showSaving(cacheSaving),
    attempts: attemptsOf(event, admin.accountId === ""),
    ledger: entries.map(showEntry),
  };
  return { body };
};
