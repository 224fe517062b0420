import { serviceNames as capabilities } from "../routes.ts";

/**
 * All identities. Replicas of a service share a name; `operator` is that of the operator commands
 * (and the fleet itself, which creates the first account).
 */
export const peers = [
  "router",
  "billing",
  "metering",
  "auditor",
  "notifications",
  ...capabilities,
  "console",
  "operator",
] as const;

/** A service by the name in its certificate. */
export type Peer = (typeof peers)[number];

interface Access {
  /** The identities that may serve it; callers accept no other certificate. */
  readonly servedBy: readonly Peer[];
  /** Permitted callers by method. */
  readonly callers: Readonly<Record<string, readonly Peer[]>>;
}

const router: readonly Peer[] = ["router"];
/** Media sends the requests of batches. */
const routerAndMedia: readonly Peer[] = ["router", "media"];
const routerAndOperator: readonly Peer[] = ["router", "operator"];

/** Who may call what, for every RPC. Anything not listed is forbidden. */
export const access: Readonly<Record<string, Access>> = {
  "link.v1.LinkService": { servedBy: capabilities, callers: { Link: routerAndMedia } },
  "capability.v1.ProviderTestService": { servedBy: capabilities, callers: { TestProvider: router } },
  "billing.v1.AccountService": {
    servedBy: ["billing"],
    callers: {
      CreateAccount: routerAndOperator,
      GetAccount: ["router", "operator", "metering"],
      ListAccounts: routerAndOperator,
      TopUp: routerAndOperator,
      GetSubscription: router,
    },
  },
  "billing.v1.AdminService": {
    servedBy: ["billing"],
    callers: {
      ResolveAdminToken: router,
      CreateAdminToken: router,
      ListAdminTokens: router,
      RevokeAdminToken: router,
      UpdateAccount: router,
      RegenerateKey: router,
      RepairUnpriced: router,
      RecordAction: ["router", "console"],
      ListAuditRecords: router,
      Itemize: router,
      ListHolds: router,
      ListInvoices: router,
      GetInvoice: router,
      ListCatalogModels: router,
      GetVerdict: router,
      ListReconciliations: router,
    },
  },
  "billing.v1.KeyService": {
    servedBy: ["billing"],
    callers: {
      // Chat and media run requests without their clients.
      ResolveKeys: ["router", "chat", "media"],
      CreateKey: routerAndOperator,
      GetKey: ["router", "operator", "metering"],
      ListKeys: router,
      UpdateKey: routerAndOperator,
      RevokeKey: router,
      ListKeyIds: router,
    },
  },
  "billing.v1.BudgetService": {
    servedBy: ["billing"],
    callers: {
      CreateBudget: router,
      GetBudget: ["router", "metering"],
      ListBudgets: router,
      ListEndUsers: router,
      UpdateBudget: router,
      DeleteBudget: router,
    },
  },
  "billing.v1.EnvelopeService": {
    servedBy: ["billing"],
    callers: { CreateEnvelope: router, GetEnvelope: router, ListEnvelopes: router, CloseEnvelope: router },
  },
  "billing.v1.GrantService": {
    servedBy: ["billing"],
    callers: {
      Acquire: capabilities,
      Return: capabilities,
      ReturnMany: capabilities,
      Heartbeat: capabilities,
      CloseHolder: capabilities,
      IsHolderGone: capabilities,
      LeaseSpend: capabilities,
    },
  },
  "billing.v1.PriceService": {
    servedBy: ["billing"],
    callers: {
      ListAcceptedPrices: capabilities,
      PutPriceTable: router,
      ReviewPrices: router,
      AcceptPrice: router,
      QuoteModels: router,
    },
  },
  "billing.v1.CatalogService": {
    servedBy: ["billing"],
    callers: {
      // Its response has the providers' credentials.
      GetOverlay: capabilities,
      ListProviders: router,
      UpdateProvider: router,
      CreateCredential: router,
      UpdateCredential: router,
      DeleteCredential: router,
      CreateProvider: router,
      DeleteProvider: router,
      ListTemplates: router,
      ListChanges: router,
      CreateModel: router,
      UpdateModel: router,
      DeleteModel: router,
    },
  },
  "billing.v1.LimitService": {
    servedBy: ["billing"],
    callers: {
      Borrow: capabilities,
      Renew: capabilities,
      GetKeyUse: router,
      LeaseFetches: capabilities,
      GetFetchBudget: router,
    },
  },
  "billing.v1.LedgerService": {
    servedBy: ["billing"],
    callers: { Settle: ["metering"], ListEntries: routerAndOperator, Audit: ["operator"] },
  },
  "billing.v1.LedgerArchiveService": {
    servedBy: ["billing"],
    callers: { ListLedgerMonths: ["operator"], ArchiveLedgerMonth: ["operator"], VerifyLedgerMonth: ["operator"] },
  },
  "metering.v1.MeteringService": {
    servedBy: ["metering"],
    callers: {
      ConfirmApplied: capabilities,
      FindEvents: capabilities,
      QueryUsage: routerAndOperator,
      ListEvents: router,
      GetEvent: router,
      QuerySeries: router,
      ListKeyUse: router,
      SumLastMonth: routerAndOperator,
    },
  },
  "metering.v1.RefusalService": {
    servedBy: ["metering"],
    callers: { QueryRefusals: router, ListRefusals: router },
  },
  "metering.v1.UsageAdminService": {
    servedBy: ["metering"],
    callers: {
      ExportEvents: router,
      ApplyRepairs: router,
      ListDeadLetters: ["operator"],
      PriceDeadLetter: ["operator"],
      RepairDeadLetter: ["operator"],
      ListMonths: ["operator"],
      ArchiveMonth: ["operator"],
      VerifyMonth: ["operator"],
    },
  },
  "metering.v1.AlertService": {
    servedBy: ["metering"],
    callers: {
      CreateAlert: router,
      ListAlerts: router,
      GetAlert: router,
      UpdateAlert: router,
      DeleteAlert: router,
      TestAlert: router,
    },
  },
  "media.v1.AssetService": { servedBy: ["media"], callers: { Put: ["video"] } },
  "notifications.v1.NotificationService": {
    servedBy: ["notifications"],
    callers: {
      RotateSecret: router,
      ListSecrets: router,
      EndSecret: router,
      ListDeliveries: router,
      GetDelivery: router,
      Replay: router,
      CheckTargets: router,
      SendWebhook: ["video"],
      Enqueue: ["metering"],
      SendTest: ["metering"],
      RequestConfirmations: ["metering"],
      ListUnconfirmed: router,
      ConfirmAddress: ["console"],
      ListBudgets: router,
      DescribeMail: ["console"],
      SendMail: ["console"],
    },
  },
};

/** Splits `/package.Service/Method`. */
function namesOf(path: string): { service: string; method: string } {
  const [, service = "", method = ""] = path.split("/");
  return { service, method };
}

/** Permitted callers of a method, by its wire path. */
export function callersOf(path: string): readonly Peer[] {
  const { service, method } = namesOf(path);
  const callers = access[service]?.callers ?? {};
  return Object.hasOwn(callers, method) ? (callers[method] ?? []) : [];
}

/** The identities that serve a method, by its wire path. */
export function serversOf(path: string): readonly Peer[] {
  return access[namesOf(path).service]?.servedBy ?? [];
}
