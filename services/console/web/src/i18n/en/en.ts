import { billing } from "./billing.ts";
import { bills } from "./bills.ts";
import { fleet } from "./fleet.ts";
import { keys } from "./keys.ts";
import { accounts, audit, members, profile, unpriced, webhooks } from "./manage.ts";
import { models } from "./models.ts";
import { playground } from "./playground.ts";
import { prices } from "./prices.ts";
import {
  common,
  confirmAddress,
  failure,
  invitation,
  nav,
  noAccount,
  notForRole,
  notFound,
  roles,
  shell,
  signIn,
} from "./shell.ts";
import { usage } from "./usage.ts";

/** Everything the console says, in English; the other languages have the same shape. */
export const en = {
  accounts,
  audit,
  billing,
  common,
  failure,
  fleet,
  bills,
  invitation,
  confirmAddress,
  keys,
  members,
  models,
  nav,
  noAccount,
  notForRole,
  notFound,
  playground,
  prices,
  profile,
  roles,
  shell,
  signIn,
  unpriced,
  usage,
  webhooks,
} as const;
