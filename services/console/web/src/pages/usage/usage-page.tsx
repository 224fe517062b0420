import { Button, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { urlOf } from "../../api/http.ts";
import { Page } from "../../ui/page.tsx";
import { ReceiptDrawer } from "./receipt-drawer.tsx";
import { useFilter } from "./usage.ts";
import { UsageFilters } from "./usage-filters.tsx";
import { UsageOverview } from "./usage-overview.tsx";
import { UsageRequests } from "./usage-requests.tsx";

/** Streams single requests as a file; it ends with what was there when it began. */
function ExportMenu() {
  const { t } = useTranslation();
  const filter = useFilter();
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

export function UsagePage() {
  const { t } = useTranslation();
  return (
    <Page title={t("usage.title")} about={t("usage.about")} action={<ExportMenu />}>
      <UsageFilters />
      <UsageOverview />
      <UsageRequests />
      <ReceiptDrawer />
    </Page>
  );
}
