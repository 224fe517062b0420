import { useTranslation } from "react-i18next";
import { useAccountId } from "../../shell/account.ts";
import { ChooseAccount } from "../../ui/choose-account.tsx";
import { Page } from "../../ui/page.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Secrets } from "./secrets.tsx";

export function WebhooksPage() {
  const { t } = useTranslation();
  const account = useAccountId();
  return (
    <Page title={t("webhooks.title")} about={t("webhooks.about")}>
      {account === undefined ? (
        <ChooseAccount />
      ) : (
        <>
          <Secrets account={account} />
          <Deliveries account={account} />
        </>
      )}
    </Page>
  );
}
