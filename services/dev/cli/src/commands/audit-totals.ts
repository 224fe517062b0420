import type { Account } from "@uag/proto/billing/v1/accounts.ts";
import { showUsd } from "./options.ts";

interface Counts {
  readonly entries: bigint;
  readonly settledRequests: bigint;
  readonly openGrants: bigint;
}

/** The sums over all accounts: to be kept outside the gateway, and compared after a restore. */
export function totalsText(accounts: readonly Account[], { entries, settledRequests, openGrants }: Counts): string {
  const total = { toppedUp: 0n, available: 0n, held: 0n, charged: 0n, writtenOff: 0n };
  for (const account of accounts) {
    total.toppedUp += account.toppedUpNanoUsd;
    total.available += account.availableNanoUsd;
    total.held += account.heldNanoUsd;
    total.charged += account.chargedNanoUsd;
    total.writtenOff += account.writtenOffNanoUsd;
  }
  return `Ledger      ${entries} entries of ${accounts.length} accounts, ${settledRequests} settled requests, ${openGrants} open grants
Topped up   ${showUsd(total.toppedUp)}
  available ${showUsd(total.available)}
  held      ${showUsd(total.held)}
  charged   ${showUsd(total.charged)}
  written off ${showUsd(total.writtenOff)}
`;
}
