import {
  type Icon,
  IconBook,
  IconBuilding,
  IconChartBar,
  IconCreditCard,
  IconHistory,
  IconKey,
  IconMessageChatbot,
  IconReceiptOff,
  IconServer,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";
import type { Role } from "../session/session.ts";

/** A page in the navigation, and who finds it there. */
interface Entry<Name extends string> {
  readonly to: string;
  readonly name: Name;
  readonly icon: Icon;
  /** Everybody, where it is not said. */
  readonly roles?: readonly Role[];
}

const entry = <Name extends string>(to: string, name: Name, icon: Icon, roles?: readonly Role[]): Entry<Name> => ({
  to,
  name,
  icon,
  ...(roles && { roles }),
});

const spends: readonly Role[] = ["operator", "owner", "member"];
const sees: readonly Role[] = ["operator", "owner", "auditor"];
const runs: readonly Role[] = ["operator", "owner"];

/** The pages by what they are for, in the order of how often they are looked at. */
export const navigation = [
  {
    name: "use",
    entries: [
      entry("/keys", "keys", IconKey),
      entry("/usage", "usage", IconChartBar),
      entry("/playground", "playground", IconMessageChatbot, spends),
      entry("/models", "models", IconBook, spends),
    ],
  },
  {
    name: "manage",
    entries: [
      entry("/billing", "billing", IconCreditCard, sees),
      entry("/webhooks", "webhooks", IconWebhook, sees),
      entry("/members", "members", IconUsers, runs),
      entry("/audit-log", "audit", IconHistory, sees),
    ],
  },
  {
    name: "operate",
    entries: [
      entry("/accounts", "accounts", IconBuilding, ["operator", "auditor"]),
      entry("/unpriced", "unpriced", IconReceiptOff, ["operator"]),
      entry("/fleet", "fleet", IconServer, ["operator", "auditor"]),
    ],
  },
] as const;
