import {
  type Icon,
  IconBook,
  IconBuilding,
  IconChartBar,
  IconCreditCard,
  IconHistory,
  IconHome,
  IconKey,
  IconMessageChatbot,
  IconPlugConnected,
  IconReceiptOff,
  IconScale,
  IconServer,
  IconTag,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";
import type { PagePath } from "../pages/paths.ts";

/** A page in the navigation. */
interface Entry<Name extends string> {
  readonly to: PagePath;
  readonly name: Name;
  readonly icon: Icon;
}

const entry = <Name extends string>(to: PagePath, name: Name, icon: Icon): Entry<Name> => ({ to, name, icon });

/** The pages by what they are for, in the order of how often they are looked at. */
export const navigation = [
  {
    name: "use",
    entries: [
      entry("/", "overview", IconHome),
      entry("/keys", "keys", IconKey),
      entry("/usage", "usage", IconChartBar),
      entry("/playground", "playground", IconMessageChatbot),
      entry("/models", "models", IconBook),
    ],
  },
  {
    name: "manage",
    entries: [
      entry("/billing", "billing", IconCreditCard),
      entry("/webhooks", "webhooks", IconWebhook),
      entry("/members", "members", IconUsers),
      entry("/audit-log", "audit", IconHistory),
    ],
  },
  {
    name: "operate",
    entries: [
      entry("/accounts", "accounts", IconBuilding),
      entry("/unpriced", "unpriced", IconReceiptOff),
      entry("/providers", "providers", IconPlugConnected),
      entry("/fleet", "fleet", IconServer),
      entry("/provider-bills", "bills", IconScale),
      entry("/prices", "prices", IconTag),
    ],
  },
] as const;
