import type { en } from "../en/en.ts";
import type { Texts } from "../texts.ts";
import { billing } from "./billing.ts";
import { bills } from "./bills.ts";
import { envelopes } from "./envelopes.ts";
import { fleet } from "./fleet.ts";
import { keys } from "./keys.ts";
import { accounts, audit, members, profile, unpriced, webhooks } from "./manage.ts";
import { models } from "./models.ts";
import { overview } from "./overview.ts";
import { playground } from "./playground.ts";
import { prices } from "./prices.ts";
import { providers } from "./providers.ts";
import {
  common,
  confirmAddress,
  failure,
  invitation,
  nav,
  noAccount,
  notForRole,
  notFound,
  palette,
  passwordReset,
  roles,
  shell,
  signIn,
  simulated,
  twoFactor,
} from "./shell.ts";
import { usage } from "./usage.ts";

export const zh: Texts<typeof en> = {
  accounts,
  audit,
  billing,
  common,
  envelopes,
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
  overview,
  palette,
  passwordReset,
  playground,
  prices,
  providers,
  profile,
  roles,
  shell,
  signIn,
  simulated,
  twoFactor,
  unpriced,
  usage,
  webhooks,
};
