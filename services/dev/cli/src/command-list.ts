/** The commands that operate on a gateway, by the name of their `npm run`; loading one runs it. */
export const commands: Readonly<Record<string, () => Promise<unknown>>> = {
  accounts: () => import("./commands/accounts.ts"),
  "admin-tokens": () => import("./commands/admin-tokens.ts"),
  alerts: () => import("./commands/alerts.ts"),
  archive: () => import("./commands/archive.ts"),
  audit: () => import("./commands/audit.ts"),
  "dead-letters": () => import("./commands/dead-letters.ts"),
  import: () => import("./commands/import.ts"),
  keys: () => import("./commands/keys.ts"),
  ledger: () => import("./commands/ledger.ts"),
  providers: () => import("./commands/providers.ts"),
  topup: () => import("./commands/topup.ts"),
  usage: () => import("./commands/usage.ts"),
  webhooks: () => import("./commands/webhooks.ts"),
};
