import { Alert, List, SimpleGrid, Skeleton } from "@mantine/core";
import { IconAlertTriangle, IconShieldCheck, IconShieldX } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Fleet } from "../../api/types.ts";
import { bytes, duration, integer } from "../../format/number.ts";
import { Fact } from "../../ui/fact.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { AboveHold } from "./above-hold.tsx";
import { ProviderTable } from "./provider-table.tsx";
import { ReplicaTable } from "./replica-table.tsx";

const fleetQuery = queryOptions({
  queryKey: ["fleet"],
  queryFn: ({ signal }) => call<Fleet>("/admin/v1/fleet", { signal }),
  refetchInterval: 5_000,
});

/** Whether the books are right, as one line. */
function Books({ of: audit }: { readonly of: Fleet["audit"] }) {
  const { t } = useTranslation();
  if (audit === null) return <Alert color="gray" title={t("fleet.books.never")} icon={<IconShieldCheck size={18} />} />;
  const rows = t("fleet.books.rows", { count: audit.rows });
  if (audit.exact)
    return (
      <Alert
        variant="default"
        title={t("fleet.books.exact")}
        icon={<IconShieldCheck size={18} color="var(--mantine-color-teal-filled)" />}
        role="status"
        style={{ borderInlineStart: "4px solid var(--mantine-color-teal-filled)" }}
      >
        {rows} · <Time at={audit.at} as="relative" />
      </Alert>
    );
  return (
    <Alert color="red" title={t("fleet.books.wrong")} icon={<IconShieldX size={18} />} role="alert">
      {rows} · <Time at={audit.at} as="relative" />
      <List size="sm" mt="xs">
        {audit.faults.map((fault) => (
          <List.Item key={fault}>{fault}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

function Unserved({ of: reasons }: { readonly of: readonly string[] }) {
  const { t } = useTranslation();
  if (reasons.length === 0) return null;
  return (
    <Alert color="yellow" title={t("fleet.unserved")} icon={<IconAlertTriangle size={18} />}>
      <List size="sm">
        {reasons.map((reason) => (
          <List.Item key={reason}>{reason}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

function Waiting({ of: { replicas, journals, stream } }: { readonly of: Fleet }) {
  const { t } = useTranslation();
  const up = replicas.filter(({ state }) => state === "up").length;
  return (
    <Panel>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="lg" verticalSpacing="md">
        <Fact name={t("fleet.facts.replicas")} hint={t("fleet.facts.silent", { count: replicas.length - up })}>
          {integer(up)}
        </Fact>
        <Fact name={t("fleet.facts.journals")} hint={t("fleet.facts.orphans", { count: journals.waiting })}>
          {bytes(journals.bytes)}
        </Fact>
        <Fact name={t("fleet.facts.unconfirmed")} hint={t("fleet.facts.unconfirmedHint")}>
          {integer(journals.unconfirmed_events)}
        </Fact>
        <Fact name={t("fleet.facts.lag")} hint={t("fleet.facts.lagHint")}>
          {duration(journals.lag_seconds * 1_000)}
        </Fact>
        <Fact name={t("fleet.facts.stream")} hint={t("fleet.facts.streamHint")}>
          {stream === null ? "—" : integer(stream.messages)}
        </Fact>
      </SimpleGrid>
    </Panel>
  );
}

/** How the gateway itself is: its books, its processes, its providers. */
export function FleetPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(fleetQuery);
  return (
    <Page title={t("fleet.title")} about={t("fleet.about")}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton h={320} />}
      {data !== undefined && (
        <>
          <Books of={data.audit} />
          <Unserved of={data.unserved} />
          <AboveHold of={data.above_hold} />
          <Waiting of={data} />
          <ReplicaTable of={data.replicas} />
        </>
      )}
      <ProviderTable />
    </Page>
  );
}
