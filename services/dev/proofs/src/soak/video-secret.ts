import type { TestFleet } from "@uag/harness/fleet/with-fleet";

/** Creates a signing secret of an account through the admin API. */
export async function newSecret({ run }: TestFleet, accountId = run.account_id): Promise<string> {
  const response = await fetch(`${run.base_url}/admin/v1/webhooks/secrets`, {
    method: "POST",
    headers: { authorization: `Bearer ${run.admin.token}`, "content-type": "application/json" },
    body: JSON.stringify({ account_id: accountId, overlap_seconds: 0 }),
  });
  if (response.status !== 201) throw new Error(`the signing secret was not created: ${await response.text()}`);
  return ((await response.json()) as { secret: string }).secret;
}
