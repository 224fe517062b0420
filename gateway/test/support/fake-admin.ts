import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type AccountServiceServer, AccountServiceService } from "@uag/proto/billing/v1/accounts.ts";
import {
  AdminRole,
  type AdminServiceServer,
  AdminServiceService,
  type AdminToken,
  RepairState,
} from "@uag/proto/billing/v1/admin.ts";
import { Budget, BudgetPeriod, type BudgetServiceServer, BudgetServiceService } from "@uag/proto/billing/v1/budgets.ts";
import { type CatalogServiceServer, CatalogServiceService } from "@uag/proto/billing/v1/catalog.ts";
import {
  Envelope,
  type EnvelopeScope,
  type EnvelopeServiceServer,
  EnvelopeServiceService,
} from "@uag/proto/billing/v1/envelopes.ts";
import { Key, type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { type LedgerServiceServer, LedgerServiceService } from "@uag/proto/billing/v1/ledger.ts";
import { type LimitServiceServer, LimitServiceService } from "@uag/proto/billing/v1/limits.ts";
import { type PriceServiceServer, PriceServiceService } from "@uag/proto/billing/v1/prices.ts";
import { type ProviderTestServiceServer, ProviderTestServiceService } from "@uag/proto/capability/v1/provider_test.ts";
import { type UsageAdminServiceServer, UsageAdminServiceService } from "@uag/proto/metering/v1/admin.ts";
import { type AlertServiceServer, AlertServiceService } from "@uag/proto/metering/v1/alerts.ts";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { type RefusalServiceServer, RefusalServiceService } from "@uag/proto/metering/v1/refusals.ts";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { digestKey } from "@uag/runtime/api-key";
import { createLogger } from "@uag/runtime/log";
import { insecure } from "@uag/runtime/rpc/identity";
import { serveRpc, unaryService } from "@uag/runtime/rpc/server";
import { pepper } from "./fake-billing.ts";

export const adminToken = "an-admin-token-for-tests-0123";

interface RecordedCall {
  readonly method: string;
  readonly request: unknown;
}

export interface FakeAdmin extends AsyncDisposable {
  readonly address: string;
  /** Every call except token lookups. */
  readonly received: RecordedCall[];
  /** Number of events in the export. */
  events: number;
  /** Pages of the export behind the first wait for it. */
  exported: Promise<void>;
  /** How often a token was looked up. */
  logins: number;
  /** Makes metering unable to report how keys were used. */
  meteringAway: boolean;
  addToken(secret: string, more: Partial<AdminToken>): void;
}

const budget = Budget.fromPartial({
  id: "bud_1",
  accountId: "acme",
  name: "b",
  parentId: "bud_top",
  chain: ["bud_1", "bud_top"],
  period: BudgetPeriod.MONTH,
});
const budgetsById: Readonly<Record<string, Budget>> = {
  bud_other: { ...budget, id: "bud_other", accountId: "other", chain: ["bud_other"] },
  bud_aside: { ...budget, id: "bud_aside", chain: ["bud_aside", "bud_top"] },
  bud_below: { ...budget, id: "bud_below", parentId: "bud_1", chain: ["bud_below", ...budget.chain] },
};
const key = Key.fromPartial({
  id: "key_1",
  accountId: "acme",
  name: "k",
  createdAtMs: 1n,
  version: 1n,
  budgetIds: budget.chain,
});
const envelope = Envelope.fromPartial({ id: "env_1", accountId: "acme", keyId: "key_2", rootKeyId: "key_1" });
const account = {
  id: "acme",
  name: "Acme",
  availableNanoUsd: 9_007_199_254_740_993n,
  heldNanoUsd: 0n,
  chargedNanoUsd: 1n,
  writtenOffNanoUsd: 0n,
  toppedUpNanoUsd: 9_007_199_254_740_994n,
  repaidNanoUsd: 0n,
  createdAtMs: 1n,
};
const event = (n: number) =>
  UsageEvent.fromPartial({ requestId: `r${n}`, accountId: "acme", model: '=a,"b"', costNanoUsd: 1n, endedAtMs: 1n });
const digestOf = (secret: string): string => digestKey(secret, Buffer.from(pepper, "hex")).toString("hex");
const token: AdminToken = {
  id: "admtok_1",
  name: "ci",
  hint: "…",
  createdAtMs: 1n,
  revokedAtMs: 0n,
  role: AdminRole.OPERATOR,
  accountId: "",
  expiresAtMs: 0n,
};
const alert = {
  id: "alert_1",
  accountId: "acme",
  keyId: "",
  budgetId: "",
  terms: { name: "", monthlyNanoUsd: 1n, thresholds: [50], webhookUrl: "https://example.com/?token=1", emails: [] },
  createdAtMs: 1n,
  createdBy: undefined,
  month: "2027-01",
  spentNanoUsd: 0n,
  notices: [],
};
const repair = { state: RepairState.REPAIRED, event: event(1), chargedNanoUsd: 1n, writtenOffNanoUsd: 0n };

/** Billing and metering on one port, with fixed responses. */
export async function startFakeAdmin(): Promise<FakeAdmin> {
  const received: RecordedCall[] = [];
  const log = createLogger({ service: "fake-admin", level: "silent" });
  const reports =
    <A>(method: string, response: A) =>
    async (request: unknown): Promise<A> => {
      received.push({ method, request });
      return response;
    };
  const made = { key, secret: "sk-secret" };
  const fake = {
    received,
    events: 3,
    exported: Promise.resolve(),
    logins: 0,
    meteringAway: false,
    tokens: new Map([[digestOf(adminToken), token]]),
    addToken(secret: string, more: Partial<AdminToken>): void {
      fake.tokens.set(digestOf(secret), { ...token, ...more });
    },
  };
  const accounts = {
    createAccount: reports("createAccount", account),
    getAccount: async ({ id }: { id: string }) => {
      if (id !== "acme") throw new GatewayError("not_found", "The account does not exist.", { param: "id" });
      return account;
    },
    listAccounts: reports("listAccounts", { accounts: [account], nextCursor: "bmV4dA" }),
    topUp: reports("topUp", account),
    getSubscription: async () => {
      throw new GatewayError("not_found");
    },
  };
  const keys = {
    resolveKeys: reports("resolveKeys", { keys: [] }),
    createKey: reports("createKey", made),
    getKey: async ({ id }: { id: string }) => {
      if (id === "key_other") return { ...key, accountId: "other" };
      return id === "key_aside" ? { ...key, id, budgetIds: ["bud_aside", "bud_top"] } : key;
    },
    listKeyIds: async ({ keyId }: { keyId: string }) => ({ ids: ["", "key_1"].includes(keyId) ? ["key_1"] : [] }),
    listKeys: reports("listKeys", { keys: [key], nextCursor: "" }),
    updateKey: reports("updateKey", key),
    revokeKey: reports("revokeKey", key),
  };
  const limits = {
    borrow: reports("borrow", { lent: [], retryAfterMs: 0 }),
    renew: reports("renew", { leaseMs: 1, lapsed: false }),
    getKeyUse: async ({ keyId }: { keyId: string }) => ({ accountId: keyId === "key_other" ? "other" : "acme" }),
    leaseFetches: reports("leaseFetches", { leased: 0, leaseMs: 1, perHour: 1, retryAfterMs: 0 }),
    getFetchBudget: reports("getFetchBudget", { perHour: 1, used: 0, fullInMs: 0 }),
  };
  const admin = {
    resolveAdminToken: async (request: { digest: Buffer }) => {
      fake.logins++;
      const found = fake.tokens.get(request.digest.toString("hex"));
      if (found === undefined) throw new GatewayError("not_found");
      return found;
    },
    createAdminToken: reports("createAdminToken", { token, secret: "adm-secret" }),
    listAdminTokens: reports("listAdminTokens", { tokens: [token], nextCursor: "" }),
    revokeAdminToken: reports("revokeAdminToken", token),
    updateAccount: reports("updateAccount", account),
    regenerateKey: reports("regenerateKey", made),
    repairUnpriced: reports("repairUnpriced", { repairs: [repair], nextCursor: "" }),
    recordAction: reports("recordAction", {}),
    listAuditRecords: reports("listAuditRecords", { records: [], nextCursor: "" }),
    itemize: reports("itemize", { items: [], cacheSaving: undefined }),
    listHolds: reports("listHolds", { holds: [], nextCursor: "" }),
    listInvoices: reports("listInvoices", { invoices: [] }),
    getInvoice: async () => {
      throw new GatewayError("not_found", "The account has no such month.", { param: "month" });
    },
    listCatalogModels: reports("listCatalogModels", { models: [], version: "v" }),
    getVerdict: reports("getVerdict", { momentMs: 1n, exact: true, rows: 1n, faults: [] }),
    listReconciliations: reports("listReconciliations", { days: [] }),
  };
  const table = { name: "litellm", origin: "litellm 1", putAtMs: 1n, models: 0 };
  const accepted = { model: "m", priceVersion: "v", effectiveFromMs: 1n, acceptedBy: "Ada", reason: "litellm 1" };
  const prices = {
    listAcceptedPrices: reports("listAcceptedPrices", { version: "v", rows: [] }),
    putPriceTable: reports("putPriceTable", table),
    reviewPrices: reports("reviewPrices", { tables: [table], models: [], total: 0, covered: 0, accepted: [] }),
    acceptPrice: reports("acceptPrice", accepted),
    quoteModels: reports("quoteModels", { quotes: [] }),
  };
  const credential = { id: "cred_1", provider: "p", name: "", hint: "sk-...abcd", variable: "", enabled: true };
  const share = { weight: 1, priority: 0, account: "" };
  const listedCredential = {
    ...credential,
    share,
    revision: 1n,
    createdAtMs: 1n,
    createdBy: "ci",
    spentTodayNanoUsd: 0n,
    spentThisMonthNanoUsd: 0n,
  };
  const provider = { name: "p", protocol: "openai", baseUrl: "https://p", baseUrlChanged: false, enabled: true };
  const changed = { overlayVersion: 1n };
  const listedProvider = {
    ...provider,
    revision: 0n,
    models: ["m"],
    credentials: [listedCredential],
    added: false,
    draining: false,
  };
  const catalog = {
    getOverlay: async () => {
      throw new GatewayError("internal_error");
    },
    listProviders: reports("listProviders", { providers: [listedProvider], overlayVersion: 0n }),
    updateProvider: reports("updateProvider", listedProvider),
    createCredential: reports("createCredential", listedCredential),
    updateCredential: reports("updateCredential", listedCredential),
    deleteCredential: reports("deleteCredential", listedCredential),
    createProvider: reports("createProvider", changed),
    deleteProvider: reports("deleteProvider", changed),
    listTemplates: reports("listTemplates", { templates: [] }),
    listChanges: reports("listChanges", { overlayVersion: 1n, providers: [], models: [] }),
    createModel: reports("createModel", changed),
    updateModel: reports("updateModel", changed),
    deleteModel: reports("deleteModel", changed),
  };
  const ledger = {
    settle: reports("settle", { settled: [] }),
    listEntries: reports("listEntries", { entries: [], nextCursor: "" }),
    audit: async () => {
      throw new GatewayError("internal_error");
    },
  };
  const metering = {
    confirmApplied: reports("confirmApplied", { applied: [] }),
    queryUsage: reports("queryUsage", { buckets: [], nextCursor: "" }),
    listEvents: reports("listEvents", { events: Array.from({ length: 20 }, () => event(1)), nextCursor: "" }),
    findEvents: reports("findEvents", { events: [] }),
    getEvent: async ({ requestId }: { requestId: string }) => ({
      ...event(1),
      requestId,
      keyId: requestId === "r_aside" ? "key_aside" : "key_1",
      ...(requestId === "r_other" && { accountId: "other" }),
    }),
    querySeries: reports("querySeries", { groups: [], fromMs: 1n, untilMs: 2n }),
    sumLastMonth: reports("sumLastMonth", { models: [] }),
    listKeyUse: async () => {
      if (fake.meteringAway) throw new GatewayError("service_unavailable");
      return { keys: [{ keyId: "key_1", lastUsedMs: 86_400_000n, requestsLastHour: 7n }] };
    },
  };
  const alerts = {
    createAlert: reports("createAlert", alert),
    listAlerts: reports("listAlerts", { alerts: [alert] }),
    getAlert: async ({ id }: { id: string }) => (id === "alert_other" ? { ...alert, accountId: "other" } : alert),
    updateAlert: reports("updateAlert", alert),
    deleteAlert: reports("deleteAlert", alert),
    testAlert: reports("testAlert", alert),
  };
  const budgets = {
    createBudget: reports("createBudget", budget),
    getBudget: async ({ id }: { id: string }) => budgetsById[id] ?? budget,
    listBudgets: reports("listBudgets", { budgets: [budget], nextCursor: "" }),
    updateBudget: reports("updateBudget", budget),
    deleteBudget: reports("deleteBudget", budget),
    listEndUsers: reports("listEndUsers", { endUsers: [], periodStartMs: 0n, resetsAtMs: 0n }),
  };
  const envelopes = {
    createEnvelope: reports("createEnvelope", { envelope, secret: "" }),
    getEnvelope: async ({ id, scope }: { id: string; scope?: EnvelopeScope | undefined }) => {
      const accountId = id === "env_other" ? "other" : envelope.accountId;
      if (!["", accountId].includes(scope?.accountId ?? "")) throw new GatewayError("not_found");
      if (id === "env_aside" && scope?.budgetId !== undefined) throw new GatewayError("not_found");
      return { envelope: { ...envelope, accountId }, below: [] };
    },
    listEnvelopes: reports("listEnvelopes", { envelopes: [envelope], nextCursor: "" }),
    closeEnvelope: reports("closeEnvelope", envelope),
  };
  const refusals = {
    queryRefusals: reports("queryRefusals", { groups: [], fromMs: 1n, untilMs: 2n }),
    listRefusals: reports("listRefusals", { refusals: [] }),
  };
  const usageAdmin = {
    exportEvents: async (request: { page?: { limit: number; cursor: string } | undefined }) => {
      const first = Number(request.page?.cursor || "0");
      if (first > 0) await fake.exported;
      if (first >= 4) throw new GatewayError("service_unavailable");
      const rows = [first, first + 1].filter((n) => n < fake.events);
      const next = first + 2;
      return {
        events: rows.map((n) => ({ event: event(n), cursor: String(n + 1) })),
        nextCursor: next < fake.events ? String(next) : "",
      };
    },
    applyRepairs: reports("applyRepairs", { applied: 1 }),
    listDeadLetters: reports("listDeadLetters", { deadLetters: [] }),
    priceDeadLetter: reports("priceDeadLetter", {}),
    repairDeadLetter: reports("repairDeadLetter", { refused: "" }),
    listMonths: reports("listMonths", { months: [] }),
    archiveMonth: reports("archiveMonth", { rows: 0n, key: "" }),
    verifyMonth: reports("verifyMonth", { rows: 0n, faults: [] }),
  };
  const passed = { step: "call", state: "passed", reason: "", message: "", status: 0, code: "", requestId: "" };
  const providerTests = {
    testProvider: reports("testProvider", { steps: [passed], models: [], simulated: false, credentialId: "" }),
  };
  const server = await serveRpc({
    identity: insecure,
    host: "127.0.0.1",
    port: 0,
    services: [
      unaryService<AccountServiceServer>(AccountServiceService, accounts, log),
      unaryService<KeyServiceServer>(KeyServiceService, keys, log),
      unaryService<BudgetServiceServer>(BudgetServiceService, budgets, log),
      unaryService<EnvelopeServiceServer>(EnvelopeServiceService, envelopes, log),
      unaryService<LimitServiceServer>(LimitServiceService, limits, log),
      unaryService<AdminServiceServer>(AdminServiceService, admin, log),
      unaryService<PriceServiceServer>(PriceServiceService, prices, log),
      unaryService<CatalogServiceServer>(CatalogServiceService, catalog, log),
      unaryService<LedgerServiceServer>(LedgerServiceService, ledger, log),
      unaryService<MeteringServiceServer>(MeteringServiceService, metering, log),
      unaryService<AlertServiceServer>(AlertServiceService, alerts, log),
      unaryService<RefusalServiceServer>(RefusalServiceService, refusals, log),
      unaryService<UsageAdminServiceServer>(UsageAdminServiceService, usageAdmin, log),
      unaryService<ProviderTestServiceServer>(ProviderTestServiceService, providerTests, log),
    ],
  });
  return Object.assign(fake, {
    address: `127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
}
