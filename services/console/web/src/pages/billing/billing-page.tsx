import { Button, SimpleGrid, Skeleton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Account, Forecast } from "../../api/types.ts";
import { nanoUsdOf, shortUsd } from "../../format/money.ts";
import { useMayChange } from "../../session/use-session.ts";
import { accountQuery, useAccountId } from "../../shell/account.ts";
import { ChooseAccount } from "../../ui/choose-account.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Alerts } from "./alert-list.tsx";
import { forecastQuery } from "./billing.ts";
import { Envelopes } from "./envelopes.tsx";
import { Holds } from "./holds.tsx";
import { Invoices } from "./invoices.tsx";
import { Ledger } from "./ledger.tsx";
import { MessageBudgets } from "./message-budgets.tsx";
import { SharedBudgets } from "./shared-budgets.tsx";
import { TopUpModal } from "./top-up-modal.tsx";

/** Beyond this a number of days claims more than a week of spending can support. */
const daysOfYear = 365;

function DaysLeft({ of: { days_left: days } }: { readonly of: Forecast }) {
  const { t } = useTranslation();
  if (days === null) return <Fact name={t("billing.facts.days")}>{t("billing.facts.forever")}</Fact>;
  return (
    <Fact name={t("billing.facts.days")} hint={t("billing.facts.daysHint")}>
      {days > daysOfYear ? t("billing.facts.longer") : t("billing.facts.lasts", { count: Math.floor(days) })}
    </Fact>
  );
}

function Totals({ of: account }: { readonly of: Account }) {
  const { t } = useTranslation();
  const { data: forecast } = useQuery(forecastQuery(account.id));
  const held = nanoUsdOf(account.held_usd);
  const week = forecast && nanoUsdOf(forecast.spent_last_7_days_usd);
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="lg">
      <Fact name={t("billing.facts.balance")} hint={t("billing.facts.balanceHint", { held: shortUsd(held) })}>
        <Money usd={account.available_usd} />
      </Fact>
      {forecast === undefined ? (
        <Skeleton h={48} />
      ) : (
        <Fact
          name={t("billing.facts.week")}
          hint={t("billing.facts.weekHint", { amount: shortUsd((week ?? 0n) / 7n) })}
        >
          <Money usd={forecast.spent_last_7_days_usd} />
        </Fact>
      )}
      {forecast === undefined ? <Skeleton h={48} /> : <DaysLeft of={forecast} />}
      <Fact name={t("billing.facts.spent")}>
        <Money usd={account.charged_usd} />
      </Fact>
    </SimpleGrid>
  );
}

function AccountBilling({ id }: { readonly id: string }) {
  const { data: account, error, refetch } = useQuery(accountQuery(id));
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Panel>{account === undefined ? <Skeleton h={56} /> : <Totals of={account} />}</Panel>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Invoices id={id} />
        <Holds id={id} />
      </SimpleGrid>
      <SharedBudgets id={id} />
      <Envelopes id={id} />
      <Alerts id={id} />
      <MessageBudgets id={id} />
      <Ledger id={id} account={account} />
    </>
  );
}

export function BillingPage() {
  const { t } = useTranslation();
  const id = useAccountId();
  const mayTopUp = useMayChange("billing");
  const [opened, modal] = useDisclosure(false);
  const action = mayTopUp && id !== undefined && (
    <Button leftSection={<IconPlus size={16} />} onClick={modal.open}>
      {t("billing.topUp")}
    </Button>
  );
  return (
    <Page title={t("billing.title")} about={t("billing.about")} action={action}>
      {id === undefined ? <ChooseAccount /> : <AccountBilling id={id} />}
      {id !== undefined && <TopUpModal id={id} opened={opened} onClose={modal.close} />}
    </Page>
  );
}
