import { randomBytes } from "node:crypto";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { BudgetDocument } from "@uag/ledger/documents/budgets";
import { maxBudgetLevels } from "@uag/ledger/rules/budget";
import { readPage, toPageById } from "@uag/mongo/paging";
import type {
  Budget,
  CreateBudgetRequest,
  DeleteBudgetRequest,
  EndUserTerms,
  GetBudgetRequest,
  ListBudgetsRequest,
  ListBudgetsResponse,
  UpdateBudgetRequest,
} from "@uag/proto/billing/v1/budgets.ts";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { newId } from "@uag/runtime/ids";
import { recordChange } from "../audit/record.ts";
import type { Billing } from "../billing.ts";
import { chainOf } from "../budgets/chain.ts";
import { budgetMessages, budgetSnapshot, checkBudgetFields, endUsersOf, invalid, periodOf } from "../budgets/fields.ts";
import { limitsAfter, noLimits } from "../budgets/levels.ts";
import { announceBudget } from "../keys/announce.ts";
import { applyLimits } from "../limits/apply-limits.ts";
import type { Transaction } from "../store/transaction.ts";

const maxBudgets = 10_000;
/** On one page: what counts against each is added up. */
const maxListed = 100;

const endUserSecretBytes = 32;

/** The fields of a rule for end users. Their names keep their secret, or a changed rule would begin new periods. */
const endUserFields = (
  terms: EndUserTerms | undefined,
  { endUserSecret = randomBytes(endUserSecretBytes) }: Pick<BudgetDocument, "endUserSecret"> = {},
) => (terms === undefined ? {} : { endUsers: endUsersOf(terms), endUserSecret });

const unknown = (): GatewayError => new GatewayError("not_found", "The budget does not exist.", { param: "id" });

async function messageOf(billing: Billing, budget: BudgetDocument): Promise<Budget> {
  const [message] = await budgetMessages(billing, [budget]);
  return message as Budget;
}

/** Creates a budget, which may be below another one of its account. */
export async function createBudget(billing: Billing, request: CreateBudgetRequest): Promise<Budget> {
  checkBudgetFields(request);
  const { accountId, name, parentId, amountNanoUsd: amount, hard, actor, models, limits: given, endUsers } = request;
  const limits = limitsAfter(noLimits, given);
  const period = periodOf(request.period);
  const { store } = billing;
  const budget = await billing.transact(async (transaction) => {
    const { session, at } = transaction;
    const owner = await store.accounts.findById(accountId, { _id: 1 }).session(session).lean();
    if (owner === null) throw new GatewayError("not_found", "The account does not exist.", { param: "account_id" });
    if ((await store.budgets.countDocuments({ accountId, envelope: null }).session(session)) >= maxBudgets)
      throw invalid("account_id", `An account can have at most ${maxBudgets} budgets.`);
    const above = await chainOf(store, session, { accountId, budgetId: parentId, param: "parent_id" });
    if (above.length >= maxBudgetLevels)
      throw invalid("parent_id", `Budgets can have at most ${maxBudgetLevels} levels.`);
    const id = newId("bud");
    const chain = [id, ...above];
    const terms = { name, chain, amount, period, hard, limits, models, ...endUserFields(endUsers), version: 1n };
    const created = { _id: id, accountId, ...terms, createdAt: at, deletedAt: null };
    await store.budgets.create([created], { session });
    const change = { actor, action: "budget.create", targetId: id, accountId, after: budgetSnapshot(created) };
    await recordChange(store, transaction, change);
    return created;
  });
  return await messageOf(billing, budget);
}

/** @throws {GatewayError} `not_found` */
export async function getBudget(billing: Billing, { id }: GetBudgetRequest): Promise<Budget> {
  const budget = await billing.store.budgets.findById(id).lean<BudgetDocument>();
  if (budget === null || budget.envelope !== undefined) throw unknown();
  return await messageOf(billing, budget);
}

/** Budgets that are not deleted, in order of their creation. */
export async function listBudgets(billing: Billing, request: ListBudgetsRequest): Promise<ListBudgetsResponse> {
  const { after, ...page } = readPage(request.page);
  const limit = Math.min(page.limit, maxListed);
  const { accountId, budgetId = "" } = request;
  const filter = {
    ...(accountId !== "" && { accountId }),
    ...(budgetId !== "" && { chain: budgetId }),
    ...(after !== "" && { _id: { $gt: after } }),
    deletedAt: null,
    envelope: null,
  };
  const found = await billing.store.budgets
    .find(filter)
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean<BudgetDocument[]>();
  const { rows, nextCursor } = toPageById(found, limit, ({ _id }) => _id);
  return { budgets: await budgetMessages(billing, rows), nextCursor };
}

interface BudgetChange {
  readonly id: string;
  readonly action: string;
  readonly actor: Actor | undefined;
  /** The fields to set. @throws {GatewayError} when it is refused */
  decide(budget: BudgetDocument, transaction: Transaction): Promise<Partial<BudgetDocument>>;
}

/**
 * Changes a budget, and its limits in the pools of permits. Grants of its account that are being
 * issued by the former one conflict with the write of the account's row; what holders have not spent
 * returns, and is granted again by the new one.
 */
async function changeBudget(billing: Billing, { id, action, actor, decide }: BudgetChange): Promise<BudgetDocument> {
  const { store } = billing;
  const changed = await billing.transact(async (transaction) => {
    const { session } = transaction;
    const before = await store.budgets.findById(id).session(session).lean<BudgetDocument>();
    if (before === null || before.deletedAt !== null || before.envelope !== undefined) throw unknown();
    const { accountId } = before;
    await store.accounts.updateOne({ _id: accountId }, { $inc: { version: 1n } }, { session });
    const set = { ...(await decide(before, transaction)), version: (before.version ?? 0n) + 1n };
    await store.budgets.updateOne({ _id: id }, { $set: set }, { session });
    const after = { ...before, ...set };
    const snapshots = { before: budgetSnapshot(before), after: budgetSnapshot(after) };
    await recordChange(store, transaction, { actor, action, targetId: id, accountId, ...snapshots });
    return after;
  });
  const { limits = noLimits, version = 0n } = changed;
  await applyLimits(billing, { _id: id, limits, version });
  billing.recall(changed.accountId);
  announceBudget(billing, id);
  return changed;
}

/** Changes the fields that the request has. Charges of the current period stay counted. */
export async function updateBudget(billing: Billing, request: UpdateBudgetRequest): Promise<Budget> {
  const { id, actor, name, amountNanoUsd, period, hard, limits, models, endUsers, noEndUsers = false } = request;
  checkBudgetFields({ name, amountNanoUsd, limits, models: models?.models, endUsers });
  const decide: BudgetChange["decide"] = async (before) => ({
    ...(name !== undefined && { name }),
    ...(amountNanoUsd !== undefined && { amount: amountNanoUsd }),
    ...(period !== undefined && { period: periodOf(period) }),
    ...(hard !== undefined && { hard }),
    ...(limits !== undefined && { limits: limitsAfter(before.limits, limits) }),
    ...(models !== undefined && { models: models.models }),
    ...(noEndUsers ? { endUsers: null } : endUserFields(endUsers, before)),
  });
  return await messageOf(billing, await changeBudget(billing, { id, actor, action: "budget.update", decide }));
}

/** Deletes a budget that no key and no other budget uses. */
export async function deleteBudget(billing: Billing, { id, actor }: DeleteBudgetRequest): Promise<Budget> {
  const { keys, budgets } = billing.store;
  const decide: BudgetChange["decide"] = async ({ accountId }, { session, at }) => {
    const used = { accountId, budgetIds: id, revokedAt: null };
    const below = { accountId, chain: id, _id: { $ne: id }, deletedAt: null };
    if ((await keys.exists(used).session(session)) !== null)
      throw invalid("id", "Keys have this budget. Give them another one first.");
    if ((await budgets.exists(below).session(session)) !== null)
      throw invalid("id", "Other budgets are below this one. Delete them first.");
    return { deletedAt: at };
  };
  return await messageOf(billing, await changeBudget(billing, { id, actor, action: "budget.delete", decide }));
}
