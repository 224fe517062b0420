import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { GetVerdictRequest, Verdict } from "@uag/proto/billing/v1/admin.ts";
import type { Billing } from "../billing.ts";
import { lastVerdict } from "../grants/prune.ts";

const maxFaults = 20;

/** The auditor's last verdict. @throws {GatewayError} `not_found` before the first audit */
export async function getVerdict(
  { store, settings: { auditDatabase } }: Billing,
  _request: GetVerdictRequest,
): Promise<Verdict> {
  const last = await lastVerdict({ store, auditDatabase });
  if (last === undefined) throw new GatewayError("not_found", "No audit has run yet.");
  const { moment, exact, rows = 0, faults = [] } = last;
  return { momentMs: BigInt(moment.getTime()), exact, rows: BigInt(rows), faults: faults.slice(0, maxFaults) };
}
