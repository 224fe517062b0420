import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import { type AdminServiceServer, AdminServiceService } from "@uag/proto/billing/v1/admin.ts";
import { type LedgerArchiveServiceServer, LedgerArchiveServiceService } from "@uag/proto/billing/v1/archive.ts";
import { type BudgetServiceServer, BudgetServiceService } from "@uag/proto/billing/v1/budgets.ts";
import { type CatalogServiceServer, CatalogServiceService } from "@uag/proto/billing/v1/catalog.ts";
import { type EnvelopeServiceServer, EnvelopeServiceService } from "@uag/proto/billing/v1/envelopes.ts";
import { type GrantServiceServer, GrantServiceService } from "@uag/proto/billing/v1/grants.ts";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { type LimitServiceServer, LimitServiceService } from "@uag/proto/billing/v1/limits.ts";
import { type PriceServiceServer, PriceServiceService } from "@uag/proto/billing/v1/prices.ts";
import type { Logger } from "@uag/runtime/log";
import { type CallerOf, type RpcService, unaryService } from "@uag/runtime/rpc/server";
import type { Tracing } from "@uag/runtime/tracing/tracing";
import type { Billing } from "./billing.ts";
import { acceptPrice } from "./rpc/accept-price.ts";
import { acquire } from "./rpc/acquire.ts";
import { createProvider, listTemplates } from "./rpc/add-provider.ts";
import { createAdminToken, listAdminTokens, resolveAdminToken, revokeAdminToken } from "./rpc/admin-tokens.ts";
import { archiveLedgerMonth, listLedgerMonths, verifyLedgerMonth } from "./rpc/archive.ts";
import { audit } from "./rpc/audit.ts";
import { borrow } from "./rpc/borrow.ts";
import { createBudget, deleteBudget, getBudget, listBudgets, updateBudget } from "./rpc/budgets.ts";
import { listCatalogModels } from "./rpc/catalog-models.ts";
import { closeHolder } from "./rpc/close-holder.ts";
import { createAccount } from "./rpc/create-account.ts";
import { createKey } from "./rpc/create-key.ts";
import { createCredential, deleteCredential, updateCredential } from "./rpc/credentials.ts";
import { deleteProvider } from "./rpc/delete-provider.ts";
import { closeEnvelope, createEnvelope, getEnvelope, listEnvelopes } from "./rpc/envelopes.ts";
import { getAccount } from "./rpc/get-account.ts";
import { getFetchBudget } from "./rpc/get-fetch-budget.ts";
import { getKey } from "./rpc/get-key.ts";
import { getKeyUse } from "./rpc/get-key-use.ts";
import { getOverlay } from "./rpc/get-overlay.ts";
import { getSubscription } from "./rpc/get-subscription.ts";
import { getVerdict } from "./rpc/get-verdict.ts";
import { heartbeat } from "./rpc/heartbeat.ts";
import { getInvoice, listInvoices } from "./rpc/invoices.ts";
import { isHolderGone } from "./rpc/is-holder-gone.ts";
import { itemize } from "./rpc/itemize.ts";
import { leaseFetches } from "./rpc/lease-fetches.ts";
import { leaseSpend } from "./rpc/lease-spend.ts";
import { listAcceptedPrices } from "./rpc/list-accepted-prices.ts";
import { listAccounts } from "./rpc/list-accounts.ts";
import { listAuditRecords } from "./rpc/list-audit-records.ts";
import { listChanges } from "./rpc/list-changes.ts";
import { listEndUsers } from "./rpc/list-end-users.ts";
import { listEntries } from "./rpc/list-entries.ts";
import { listHolds } from "./rpc/list-holds.ts";
import { listKeyIds } from "./rpc/list-key-ids.ts";
import { listKeys } from "./rpc/list-keys.ts";
import { listReconciliations } from "./rpc/list-reconciliations.ts";
import { createModel, deleteModel, updateModel } from "./rpc/models.ts";
import { listProviders, updateProvider } from "./rpc/providers.ts";
import { putPriceTable } from "./rpc/put-price-table.ts";
import { quoteModels } from "./rpc/quote-models.ts";
import { recordAction } from "./rpc/record-action.ts";
import { regenerateKey } from "./rpc/regenerate-key.ts";
import { renew } from "./rpc/renew.ts";
import { repairUnpriced } from "./rpc/repair-unpriced.ts";
import { resolveKeys } from "./rpc/resolve-key.ts";
import { returnGrant, returnMany } from "./rpc/return.ts";
import { reviewPrices } from "./rpc/review-prices.ts";
import { revokeKey } from "./rpc/revoke-key.ts";
import { settle } from "./rpc/settle.ts";
import { topUp } from "./rpc/top-up.ts";
import { updateAccount } from "./rpc/update-account.ts";
import { updateKey } from "./rpc/update-key.ts";
import { toStoreError } from "./store/errors.ts";

type Rpc<Q, A> = (billing: Billing, request: Q) => Promise<A>;
type Bind = <Q, A>(rpc: Rpc<Q, A>) => (request: Q, who: CallerOf) => Promise<A>;

/**
 * Determines the actor for the audit log: the one the router or the console reports as
 * authenticated; for any other caller the name in its certificate, whatever the request claims.
 */
function withActor<Q>(request: Q, who: CallerOf): Q {
  if (typeof request !== "object" || request === null || !("actor" in request)) return request;
  const peer = who();
  if (peer === undefined || peer === "router" || peer === "console") return request;
  return { ...request, actor: { id: peer, name: peer, requestId: "" } };
}

function adminService(bind: Bind, log: Logger): RpcService {
  return unaryService<AdminServiceServer>(
    AdminServiceService,
    {
      resolveAdminToken: bind(resolveAdminToken),
      createAdminToken: bind(createAdminToken),
      listAdminTokens: bind(listAdminTokens),
      revokeAdminToken: bind(revokeAdminToken),
      updateAccount: bind(updateAccount),
      regenerateKey: bind(regenerateKey),
      repairUnpriced: bind(repairUnpriced),
      recordAction: bind(recordAction),
      listAuditRecords: bind(listAuditRecords),
      itemize: bind(itemize),
      listHolds: bind(listHolds),
      listInvoices: bind(listInvoices),
      getInvoice: bind(getInvoice),
      listCatalogModels: bind(listCatalogModels),
      getVerdict: bind(getVerdict),
      listReconciliations: bind(listReconciliations),
    },
    log,
  );
}

function catalogService(bind: Bind, log: Logger): RpcService {
  return unaryService<CatalogServiceServer>(
    CatalogServiceService,
    {
      getOverlay: bind(getOverlay),
      listProviders: bind(listProviders),
      updateProvider: bind(updateProvider),
      createCredential: bind(createCredential),
      updateCredential: bind(updateCredential),
      deleteCredential: bind(deleteCredential),
      createProvider: bind(createProvider),
      deleteProvider: bind(deleteProvider),
      listTemplates: bind(listTemplates),
      listChanges: bind(listChanges),
      createModel: bind(createModel),
      updateModel: bind(updateModel),
      deleteModel: bind(deleteModel),
    },
    log,
  );
}

function keyService(bind: Bind, log: Logger): RpcService {
  return unaryService<KeyServiceServer>(
    KeyServiceService,
    {
      resolveKeys: bind(resolveKeys),
      createKey: bind(createKey),
      getKey: bind(getKey),
      listKeys: bind(listKeys),
      updateKey: bind(updateKey),
      revokeKey: bind(revokeKey),
      listKeyIds: bind(listKeyIds),
    },
    log,
  );
}

function budgetService(bind: Bind, log: Logger): RpcService {
  return unaryService<BudgetServiceServer>(
    BudgetServiceService,
    {
      createBudget: bind(createBudget),
      getBudget: bind(getBudget),
      listBudgets: bind(listBudgets),
      updateBudget: bind(updateBudget),
      deleteBudget: bind(deleteBudget),
      listEndUsers: bind(listEndUsers),
    },
    log,
  );
}

function envelopeService(bind: Bind, log: Logger): RpcService {
  return unaryService<EnvelopeServiceServer>(
    EnvelopeServiceService,
    {
      createEnvelope: bind(createEnvelope),
      getEnvelope: bind(getEnvelope),
      listEnvelopes: bind(listEnvelopes),
      closeEnvelope: bind(closeEnvelope),
    },
    log,
  );
}

function limitService(bind: Bind, log: Logger): RpcService {
  return unaryService<LimitServiceServer>(
    LimitServiceService,
    {
      borrow: bind(borrow),
      renew: bind(renew),
      getKeyUse: bind(getKeyUse),
      leaseFetches: bind(leaseFetches),
      getFetchBudget: bind(getFetchBudget),
    },
    log,
  );
}

/**
 * Billing's eleven gRPC services. An unreachable database is `service_unavailable` on every one of
 * them.
 */
export function rpcServices(billing: Billing, log: Logger, tracing?: Tracing): RpcService[] {
  const bind: Bind = (rpc) => (request, who) =>
    rpc(billing, withActor(request, who)).catch((error: unknown) => {
      throw toStoreError(error);
    });
  return [
    adminService(bind, log),
    unaryService<AccountServiceServer>(
      AccountServiceService,
      {
        createAccount: bind(createAccount),
        getAccount: bind(getAccount),
        listAccounts: bind(listAccounts),
        topUp: bind(topUp),
        getSubscription: bind(getSubscription),
      },
      log,
    ),
    keyService(bind, log),
    budgetService(bind, log),
    envelopeService(bind, log),
    unaryService<GrantServiceServer>(
      GrantServiceService,
      {
        acquire: bind(acquire),
        return: bind(returnGrant),
        returnMany: bind(returnMany),
        heartbeat: bind(heartbeat),
        closeHolder: bind(closeHolder),
        isHolderGone: bind(isHolderGone),
        leaseSpend: bind(leaseSpend),
      },
      log,
    ),
    unaryService<LedgerServiceServer>(
      LedgerServiceService,
      { settle: bind(settle), listEntries: bind(listEntries), audit: bind(audit) },
      log,
      tracing,
    ),
    unaryService<LedgerArchiveServiceServer>(
      LedgerArchiveServiceService,
      {
        listLedgerMonths: bind(listLedgerMonths),
        archiveLedgerMonth: bind(archiveLedgerMonth),
        verifyLedgerMonth: bind(verifyLedgerMonth),
      },
      log,
    ),
    unaryService<PriceServiceServer>(
      PriceServiceService,
      {
        listAcceptedPrices: bind(listAcceptedPrices),
        putPriceTable: bind(putPriceTable),
        reviewPrices: bind(reviewPrices),
        acceptPrice: bind(acceptPrice),
        quoteModels: bind(quoteModels),
      },
      log,
    ),
    catalogService(bind, log),
    limitService(bind, log),
  ];
}
