import { callAdmin } from "@uag/harness/fleet/admin-call";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";

/** Creates a signing secret of an account through the admin API. */
export async function newSecret({ run }: TestFleet, accountId = run.account_id): Promise<string> {
  const fields = { account_id: accountId, overlap_seconds: 0 };
  return (await callAdmin<{ secret: string }>(run, "POST", "/webhooks/secrets", fields, 201)).secret;
}
