import type { en } from "../en/en.ts";
import type { Texts } from "../texts.ts";
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

export const zh: Texts<typeof en> = {
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
};
