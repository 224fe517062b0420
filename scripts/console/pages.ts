const modes = ["images", "edit", "speech", "video", "embeddings"].map((mode) => `playground?mode=${mode}`);
/** The first is the overview. */
const names = ["", "keys", "usage", "billing", "models", "playground", "webhooks", "members", "audit-log", "accounts"];
const month = `billing/${new Date().toISOString().slice(0, 7)}`;
/** Pages whose first row opens a detail view. */
const withDetails = new Set([
  "keys",
  "usage",
  "models",
  "webhooks",
  "audit-log",
  "provider-bills",
  "prices",
  "providers",
]);

interface ConsolePage {
  readonly path: string;
  readonly hasDetails: boolean;
}

/** Every page behind the sign-in. */
export const pages: readonly ConsolePage[] = [
  ...names,
  ...modes,
  month,
  "unpriced",
  "fleet",
  "prices",
  "providers",
  "provider-bills",
  "profile",
].map((path) => ({ path, hasDetails: withDetails.has(path) }));

/** A page's address with its account. */
export const within = (path: string, account: string): string =>
  `${path}${path.includes("?") ? "&" : "?"}account=${account}`;
