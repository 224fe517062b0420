import { Button, Menu, Skeleton } from "@mantine/core";
import { IconDownload, IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { urlOf } from "../../api/http.ts";
import { Empty } from "../../ui/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ReceiptDrawer } from "./receipt-drawer.tsx";
import { RefusedRequests } from "./refused-requests.tsx";
import { useListFilter, useOwnKeys } from "./usage.ts";
import { UsageFilters } from "./usage-filters.tsx";
import { UsageOverview } from "./usage-overview.tsx";
import { UsageRequests } from "./usage-requests.tsx";

/** Streams the requests that the page lists as a file, to the newest when it began. */
function ExportMenu() {
  const { t } = useTranslation();
  const filter = useListFilter();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />}>
          {t("usage.export.label")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={urlOf("/admin/v1/usage/export", { ...filter, format: "csv" })} download>
          {t("usage.export.csv")}
        </Menu.Item>
        <Menu.Item component="a" href={urlOf("/admin/v1/usage/export", { ...filter, format: "ndjson" })} download>
          {t("usage.export.json")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Content() {
  const { t } = useTranslation();
  const { isMember, isKnown, first } = useOwnKeys();
  if (!isKnown) return <Skeleton h={320} />;
  if (isMember && first === undefined)
    return (
      <Panel>
        <Empty icon={IconKey} title={t("keys.empty")} hint={t("keys.emptyHint")} />
      </Panel>
    );
  return (
    <>
      <UsageFilters />
      <UsageOverview />
      <RefusedRequests />
      <UsageRequests />
    </>
  );
}

export function UsagePage() {
  const { t } = useTranslation();
  return (
    <Page title={t("usage.title")} about={t("usage.about")} action={<ExportMenu />}>
      <Content />
      <ReceiptDrawer />
    </Page>
  );
}
