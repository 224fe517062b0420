import type { AccountServiceServer } from "@uag/proto/billing/v1/accounts.ts";
import type { KeyServiceServer } from "@uag/proto/billing/v1/keys.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import type { Store } from "../store/store.ts";
import type { AlertDocument, Figures, Month } from "./alert.ts";
import { spentIn } from "./spent.ts";

/** Where alerts' figures come from: spending from metering, budgets and balances from billing. */
export interface FigureSources {
  readonly store: Pick<Store, "rollups">;
  readonly accounts: Pick<RpcClient<AccountServiceServer>, "getAccount">;
  readonly keys: Pick<RpcClient<KeyServiceServer>, "getKey">;
}

/** The input of an alert's evaluation for a month. */
export async function figuresOf(
  { store, accounts, keys }: FigureSources,
  alert: AlertDocument,
  month: Month,
): Promise<Figures> {
  const { kind = "spend", accountId, keyId, monthlyNanoUsd } = alert;
  const spentNanoUsd = await spentIn(store, alert, month);
  if (kind === "spend") return { fullNanoUsd: monthlyNanoUsd, spentNanoUsd };
  if (kind === "budget") {
    const { limits } = await keys.getKey({ id: keyId });
    return { fullNanoUsd: limits?.monthlyBudgetNanoUsd ?? 0n, spentNanoUsd };
  }
  const { availableNanoUsd, heldNanoUsd, toppedUpNanoUsd } = await accounts.getAccount({ id: accountId });
  const balance = { leftNanoUsd: availableNanoUsd + heldNanoUsd, toppedUpNanoUsd };
  return { fullNanoUsd: 0n, spentNanoUsd, balance };
}
