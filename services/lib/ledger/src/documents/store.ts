import type { LeaseDocument } from "@uag/mongo/lease";
import { type Connection, createConnection, type Model } from "mongoose";
import { type AcceptedPriceDocument, acceptedPriceModel } from "./accepted-prices.ts";
import { type AccountDocument, accountModel } from "./accounts.ts";
import { type AdminTokenDocument, adminTokenModel } from "./admin-tokens.ts";
import { type AuditHeadDocument, auditHeadModel } from "./audit-heads.ts";
import { type AuditDocument, auditModel } from "./audit-log.ts";
import { type BudgetDocument, budgetModel } from "./budgets.ts";
import {
  type CatalogCredentialDocument,
  type CatalogEntryDocument,
  type CatalogHeadDocument,
  catalogCredentialModel,
  catalogHeadModel,
  catalogModelModel,
  catalogProviderModel,
} from "./catalog-overlay.ts";
import {
  type CredentialLeasesDocument,
  type CredentialSpendingDocument,
  credentialLeasesModel,
  credentialSpendingModel,
} from "./credential-spending.ts";
import { type FetchBudgetDocument, fetchBudgetModel } from "./fetch-budgets.ts";
import { type GrantDocument, grantModel } from "./grants.ts";
import { type HolderDocument, holderModel } from "./holders.ts";
import { type InvoiceDocument, invoiceModel } from "./invoices.ts";
import { type KeyDocument, keyModel } from "./keys.ts";
import { leaseModel } from "./leases.ts";
import { type EntryDocument, ledgerModel } from "./ledger.ts";
import { type LedgerMonthDocument, ledgerMonthModel } from "./ledger-months.ts";
import { type LimitHolderDocument, limitHolderModel } from "./limit-holders.ts";
import { type LimitPoolDocument, limitPoolModel } from "./limit-pools.ts";
import { type PriceTableDocument, priceTableModel } from "./price-tables.ts";
import { type PriceDocument, priceModel } from "./prices.ts";
import { type SpendingDocument, spendingModel } from "./spending.ts";

/** Billing's collections. */
interface Models {
  readonly acceptedPrices: Model<AcceptedPriceDocument>;
  readonly accounts: Model<AccountDocument>;
  readonly adminTokens: Model<AdminTokenDocument>;
  readonly audit: Model<AuditDocument>;
  readonly auditHeads: Model<AuditHeadDocument>;
  readonly budgets: Model<BudgetDocument>;
  readonly catalogCredentials: Model<CatalogCredentialDocument>;
  readonly catalogHeads: Model<CatalogHeadDocument>;
  readonly catalogModels: Model<CatalogEntryDocument>;
  readonly catalogProviders: Model<CatalogEntryDocument>;
  readonly credentialLeases: Model<CredentialLeasesDocument>;
  readonly credentialSpending: Model<CredentialSpendingDocument>;
  readonly fetchBudgets: Model<FetchBudgetDocument>;
  readonly grants: Model<GrantDocument>;
  readonly holders: Model<HolderDocument>;
  readonly invoices: Model<InvoiceDocument>;
  readonly keys: Model<KeyDocument>;
  readonly leases: Model<LeaseDocument>;
  readonly ledger: Model<EntryDocument>;
  readonly ledgerMonths: Model<LedgerMonthDocument>;
  readonly limitHolders: Model<LimitHolderDocument>;
  readonly limitPools: Model<LimitPoolDocument>;
  readonly priceTables: Model<PriceTableDocument>;
  readonly prices: Model<PriceDocument>;
  readonly spending: Model<SpendingDocument>;
}

export interface Store extends Models {
  readonly connection: Connection;
}

export function modelsOn(connection: Connection): Models {
  return {
    acceptedPrices: acceptedPriceModel(connection),
    accounts: accountModel(connection),
    adminTokens: adminTokenModel(connection),
    audit: auditModel(connection),
    auditHeads: auditHeadModel(connection),
    budgets: budgetModel(connection),
    catalogCredentials: catalogCredentialModel(connection),
    catalogHeads: catalogHeadModel(connection),
    catalogModels: catalogModelModel(connection),
    catalogProviders: catalogProviderModel(connection),
    credentialLeases: credentialLeasesModel(connection),
    credentialSpending: credentialSpendingModel(connection),
    fetchBudgets: fetchBudgetModel(connection),
    grants: grantModel(connection),
    holders: holderModel(connection),
    invoices: invoiceModel(connection),
    keys: keyModel(connection),
    leases: leaseModel(connection),
    ledger: ledgerModel(connection),
    ledgerMonths: ledgerMonthModel(connection),
    limitHolders: limitHolderModel(connection),
    limitPools: limitPoolModel(connection),
    priceTables: priceTableModel(connection),
    prices: priceModel(connection),
    spending: spendingModel(connection),
  };
}

type Collection = Pick<Model<unknown>, "createCollection" | "createIndexes" | "collection">;

/**
 * Opens the collections and ensures that they and their indexes exist: the books rely on their
 * uniqueness.
 */
export async function openStore(connection: Connection): Promise<Store> {
  const models = modelsOn(connection);
  for (const model of Object.values(models) as Collection[]) {
    await model.createCollection();
    await model.createIndexes();
  }
  return { connection, ...models };
}

/** Collection names: those that are append-only, and the others. */
export function collectionNames(): { appendOnly: string[]; changing: string[] } {
  const { ledger, audit, ...changing } = modelsOn(createConnection());
  const names = (models: object): string[] => (Object.values(models) as Collection[]).map((m) => m.collection.name);
  return { appendOnly: names({ ledger, audit }), changing: names(changing) };
}
