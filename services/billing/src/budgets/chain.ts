import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { BudgetDocument } from "@uag/ledger/documents/budgets";
import type { Store } from "@uag/ledger/documents/store";
import type { ClientSession } from "mongoose";

interface Named {
  readonly accountId: string;
  /** Empty: none. */
  readonly budgetId: string;
  /** The request's field that names it. */
  readonly param: string;
}

/**
 * A budget's id and those of the budgets above it; empty for none. Writes the account's row, so
 * that the budget cannot be deleted before the transaction commits.
 * @throws {GatewayError} `not_found` when the account has no such budget
 */
export async function chainOf(
  { budgets, accounts }: Pick<Store, "budgets" | "accounts">,
  session: ClientSession,
  { accountId, budgetId, param }: Named,
): Promise<string[]> {
  if (budgetId === "") return [];
  await accounts.updateOne({ _id: accountId }, { $inc: { version: 1n } }, { session });
  const found = await budgets
    .findOne({ _id: budgetId, accountId, deletedAt: null, envelope: null })
    .session(session)
    .lean<BudgetDocument>();
  if (found === null) throw new GatewayError("not_found", "The account has no budget with this id.", { param });
  return found.chain;
}
