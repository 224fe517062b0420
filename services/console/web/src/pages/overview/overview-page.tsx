import { Grid, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { shortUsd } from "../../format/money.ts";
import { integer } from "../../format/number.ts";
import { useAccountId } from "../../shell/account.ts";
import { Fact } from "../../ui/fact.tsx";
import { Failure } from "../../ui/failure.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { refusedTodayQuery, totalOf, usageQuery, useBalance } from "./overview.ts";
import { Providers } from "./providers.tsx";
import { TopGroups } from "./top-groups.tsx";

const noUsage = { cost_usd: "0", requests: 0, errors: {} };
const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

function Totals() {
  const { t } = useTranslation();
  const account = useAccountId();
  const today = useQuery(usageQuery(account, "today", "none"));
  const month = useQuery(usageQuery(account, "month", "none"));
  const refused = useQuery(refusedTodayQuery(account));
  const balance = useBalance();
  const error = today.error ?? month.error ?? refused.error;
  if (error !== null)
    return (
      <Failure error={error} onRetry={() => void Promise.all([today.refetch(), month.refetch(), refused.refetch()])} />
    );
  if (today.data === undefined || month.data === undefined || refused.data === undefined) return <Skeleton h={56} />;
  const { cost_usd, requests, errors } = totalOf(today.data) ?? noUsage;
  const ofMonth = totalOf(month.data) ?? noUsage;
  const refusals = sumOf(refused.data.groups.map(({ total }) => total));
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="lg" verticalSpacing="md">
      <Fact name={t("overview.spentToday")}>
        <Money usd={cost_usd} />
      </Fact>
      <Fact name={t("overview.spentMonth")} hint={t("overview.utc")}>
        <Money usd={ofMonth.cost_usd} />
      </Fact>
      <Fact
        name={t("overview.balance")}
        hint={account === undefined ? t("overview.allAccounts") : <TextLink to="/billing">{t("nav.billing")}</TextLink>}
      >
        {balance === undefined ? "—" : shortUsd(balance)}
      </Fact>
      <Fact name={t("overview.requests")} hint={t("overview.today")}>
        {integer(requests)}
      </Fact>
      <Fact
        name={t("overview.errors")}
        hint={
          <TextLink to="/usage" search={{ range: "hour24", outcome: "failed" }}>
            {t("overview.today")}
          </TextLink>
        }
      >
        {integer(sumOf(Object.values(errors)))}
      </Fact>
      <Fact
        name={t("overview.refusals")}
        hint={
          <TextLink to="/usage" search={{ range: "hour24" }}>
            {t("overview.today")}
          </TextLink>
        }
      >
        {integer(refusals)}
      </Fact>
    </SimpleGrid>
  );
}

/** The state of an account, or of all accounts for operators, at a glance. */
export function OverviewPage() {
  const { t } = useTranslation();
  const account = useAccountId();
  const month = useQuery(usageQuery(account, "month", "none"));
  const isNew = month.data !== undefined && totalOf(month.data) === undefined;
  return (
    <Page title={t("overview.title")} about={t(account === undefined ? "overview.aboutAll" : "overview.about")}>
      {isNew && <FirstSteps />}
      <Panel>
        <Totals />
      </Panel>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <TopGroups by="key" />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <TopGroups by="model" />
        </Grid.Col>
      </Grid>
      <Providers />
      {month.data !== undefined && !isNew && <FirstSteps />}
      <Text size="xs" c="dimmed">
        {t("overview.days")}
      </Text>
    </Page>
  );
}
