import { print } from "@uag/local/terminal/step";
import { type Account, type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { totalsText } from "./audit-totals.ts";
import type { Target } from "./target.ts";

/** Re-adding many millions of rows takes long. */
const timeoutMs = 24 * 3_600_000;
const pageLimit = 1_000;

async function accountsOf(target: Target): Promise<Account[]> {
  using client = target.client<AccountServiceServer>("billing", AccountServiceService);
  const accounts: Account[] = [];
  for (let cursor = ""; ; ) {
    const page = await client.listAccounts({ page: { limit: pageLimit, cursor } });
    accounts.push(...page.accounts);
    if (page.nextCursor === "") return accounts;
    cursor = page.nextCursor;
  }
}

/**
 * Has billing re-add the ledger of a gateway elsewhere, and prints the sums and every difference.
 * @returns whether it is exact
 */
export async function auditElsewhere(target: Target): Promise<boolean> {
  using client = target.client<LedgerServiceServer>("billing", LedgerServiceService);
  const { entries, settledRequests, openGrants, violations } = await client.audit({}, { timeoutMs });
  process.stdout.write(totalsText(await accountsOf(target), { entries, settledRequests, openGrants }));
  for (const violation of violations) print(`- ${violation}`);
  print(violations.length === 0 ? "exact" : `${violations.length} differences`);
  return violations.length === 0;
}
