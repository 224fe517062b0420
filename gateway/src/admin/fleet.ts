import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { fleet } from "@uag/contract/responses/admin-fleet";
import type { Shown } from "@uag/contract/responses/shown";
import type { Verdict } from "@uag/proto/billing/v1/admin.ts";
import type { AdminHandler } from "./admin.ts";
import type { AdminClients } from "./clients.ts";
import { timeText } from "./json.ts";
import type { Replica, Replicas } from "./replicas.ts";

type Fleet = Shown<typeof fleet>;

function showReplica(replica: Replica, replicas: Replicas): Fleet["replicas"][number] {
  const { service, status } = replica;
  const startedAtMs = BigInt(status.started_at_ms);
  return {
    id: status.id,
    service,
    version: status.version,
    state: replicas.isSilent(replica) ? "silent" : "up",
    started_at: timeText(startedAtMs),
    uptime_seconds: Math.max(0, Math.floor((Date.now() - status.started_at_ms) / 1_000)),
    heard_ms_ago: replicas.ageOf(replica),
    figures: status.figures,
  };
}

const sumOf = (replicas: readonly Replica[], figure: string): number =>
  replicas.reduce((sum, { status }) => sum + (status.figures[figure] ?? 0), 0);
const maxOf = (replicas: readonly Replica[], figure: string): number =>
  replicas.reduce((max, { status }) => Math.max(max, status.figures[figure] ?? 0), 0);

/** Undefined before the first audit. */
async function verdictOf(clients: AdminClients): Promise<Verdict | undefined> {
  try {
    return await clients.admin.getVerdict({});
  } catch (error) {
    if (error instanceof GatewayError && error.code === "not_found") return undefined;
    throw error;
  }
}

function showVerdict(verdict: Verdict | undefined): Fleet["audit"] {
  if (verdict === undefined) return null;
  const { momentMs, exact, rows, faults } = verdict;
  return { at: timeText(momentMs), exact, rows, faults };
}

/** Costs above their holds over the given processes, the largest first. */
function showAboveHold(replicas: readonly Replica[]): Fleet["above_hold"] {
  const found = Map.groupBy(
    replicas.flatMap(({ status }) => status.above_hold),
    ({ provider, model }) => `${provider}\n${model}`,
  );
  return [...found.values()]
    .map((reports) => ({
      provider: reports[0]?.provider ?? "",
      model: reports[0]?.model ?? "",
      requests: reports.reduce((sum, { requests }) => sum + requests, 0),
      largest_ratio: Math.max(...reports.map(({ largest_ratio }) => largest_ratio)),
      last_at: timeText(BigInt(Math.max(...reports.map(({ last_at_ms }) => last_at_ms)))),
    }))
    .sort((a, b) => b.largest_ratio - a.largest_ratio);
}

const byName = (a: Fleet["replicas"][number], b: Fleet["replicas"][number]): number =>
  a.service.localeCompare(b.service) || a.id.localeCompare(b.id);

/** The processes of the deployment, their queues, and the auditor's verdict. */
export const showFleet: AdminHandler = async ({ clients, replicas }) => {
  const living = replicas.living();
  const verdict = await verdictOf(clients);
  const streams = living.filter(({ status }) => status.figures["uag_stream_messages"] !== undefined);
  const body: Fleet = {
    object: "fleet",
    replicas: replicas
      .all()
      .map((replica) => showReplica(replica, replicas))
      .sort(byName),
    journals: {
      bytes: sumOf(living, "uag_journal_bytes"),
      unconfirmed_events: sumOf(living, "uag_unconfirmed_events"),
      lag_seconds: maxOf(living, "uag_publish_lag_seconds"),
      waiting: maxOf(living, "uag_waiting_journals"),
    },
    stream: streams.length === 0 ? null : { messages: maxOf(streams, "uag_stream_messages") },
    unserved: [...new Set(living.flatMap(({ status }) => status.unserved))].sort(),
    above_hold: showAboveHold(living),
    audit: showVerdict(verdict),
  };
  return { body };
};
