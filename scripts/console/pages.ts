import { pagePaths } from "@uag/console-web/pages";

const modes = ["images", "edit", "speech", "video", "embeddings"].map((mode) => `playground?mode=${mode}`);
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

const month = new Date().toISOString().slice(0, 7);
const paths = pagePaths.map((path) => path.slice(1).replace("$month", month));

/** Every page behind the sign-in; the first is the overview. */
export const pages: readonly ConsolePage[] = [...paths, ...modes].map((path) => ({
  path,
  hasDetails: withDetails.has(path),
}));

/** A page's address with its account. */
export const within = (path: string, account: string): string =>
  `${path}${path.includes("?") ? "&" : "?"}account=${account}`;
