import type { Confirmations } from "../mail/confirmations.ts";
import type { Messages } from "../messages.ts";
import { type Methods, requireAccount, stored } from "./method.ts";
import { checkTarget, type TargetRules } from "./target.ts";

interface AddressParts extends TargetRules {
  readonly messages: Messages;
  readonly confirmations: Pick<Confirmations, "unconfirmed">;
}

export function addressMethods(
  options: AddressParts,
): Methods<"requestConfirmations" | "listUnconfirmed" | "confirmAddress"> {
  const { messages, confirmations } = options;
  return {
    async requestConfirmations({ accountId, addresses }) {
      requireAccount(accountId);
      for (const address of addresses) checkTarget({ url: `mailto:${address}`, param: "emails" }, options);
      await stored(messages.requestConfirmations(accountId, addresses));
      return {};
    },
    async listUnconfirmed({ accountId, addresses }) {
      requireAccount(accountId);
      return { addresses: await stored(confirmations.unconfirmed(accountId, addresses)) };
    },
    async confirmAddress({ token }) {
      const { accountId, address } = await stored(messages.confirm(token));
      return { accountId, address };
    },
  };
}
