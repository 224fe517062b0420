import type { CredentialStatus } from "@uag/contract/messages/status";
import type { provider } from "@uag/contract/responses/admin-providers";
import type { Shown } from "@uag/contract/responses/shown";
import type { Replica } from "./replicas.ts";

type Row = Shown<typeof provider>["pool"][number];

const rejectedAs = { operator: "rejected", quota: "exhausted" } as const;

function stateOf(reports: readonly CredentialStatus[]): Row["state"] {
  const rejection = reports.find((report) => report.rejection !== undefined)?.rejection;
  if (rejection !== undefined) return rejectedAs[rejection];
  return reports.some(({ rests_for_ms: ms }) => ms > 0) ? "limited" : "available";
}

function rowOf([first, ...others]: [CredentialStatus, ...CredentialStatus[]], ids: ReadonlySet<string>): Row {
  const reports = [first, ...others];
  return {
    id: ids.has(first.id) ? first.id : null,
    name: first.name || null,
    weight: first.weight,
    priority: first.priority,
    account: first.account || null,
    state: stateOf(reports),
    rests_for_ms: Math.max(...reports.map(({ rests_for_ms: ms }) => ms)),
  };
}

/**
 * The credentials that new requests to a provider use.
 * @param ids of the credentials that operators added
 */
export function poolOf(replicas: readonly Replica[], name: string, ids: ReadonlySet<string>): Row[] {
  const reports = replicas.flatMap(({ status }) => status.catalog?.credentials ?? []);
  const byId = Map.groupBy(
    reports.filter(({ provider }) => provider === name),
    ({ id }) => id,
  );
  return [...byId.values()].map((group) => rowOf(group as [CredentialStatus], ids));
}
