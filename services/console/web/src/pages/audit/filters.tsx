import { Autocomplete, Button, Group, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccountId } from "../../shell/account.ts";
import { Failure } from "../../ui/failure.tsx";
import { saveText } from "../../ui/save-text.ts";
import { csvOf, fetchAll } from "./export.ts";

const route = getRouteApi("/app/audit-log");
const pauseMs = 300;

/** The most frequent actions; any other can be typed. */
const actions = [
  "account.create",
  "account.top_up",
  "account.update",
  "console.password_reset",
  "console.sign_in",
  "console.sign_in_failed",
  "console.two_factor_disable",
  "console.two_factor_enable",
  "console.two_factor_reset",
  "key.create",
  "key.regenerate",
  "key.revoke",
  "key.update",
  "token.create",
  "token.revoke",
  "usage.export",
];

/** The filters of the page's address, for the admin API; an invalid one is ignored. */
export function useAuditFilter(): {
  account?: string | undefined;
  target?: string | undefined;
  action?: string | undefined;
} {
  const { action, target } = route.useSearch();
  const account = useAccountId();
  return { account, target, action: /^[a-z_.]{1,64}$/.test(action ?? "") ? action : undefined };
}

/** Filters by action and target, and an export of what they match. */
export function AuditFilters() {
  const { t } = useTranslation();
  const { action = "", target = "" } = route.useSearch();
  const filter = useAuditFilter();
  const navigate = useNavigate({ from: "/audit-log" });
  const [texts, setTexts] = useState({ action, target });
  const set = useDebouncedCallback((next: typeof texts) => {
    const search = { action: next.action.trim() || undefined, target: next.target.trim() || undefined };
    void navigate({ search: (before) => ({ ...before, ...search }), replace: true });
  }, pauseMs);
  const change = (changed: Partial<typeof texts>): void => {
    const next = { ...texts, ...changed };
    setTexts(next);
    set(next);
  };
  const download = useMutation({
    mutationFn: () => fetchAll(filter),
    onSuccess: (records) => saveText("audit-log.csv", csvOf(records), "text/csv"),
  });
  return (
    <>
      <Group gap="sm" mb="sm">
        <Autocomplete
          aria-label={t("audit.filter.action")}
          placeholder={t("audit.filter.action")}
          data={actions}
          value={texts.action}
          onChange={(value) => change({ action: value })}
          w={{ base: "100%", xs: 240 }}
        />
        <TextInput
          aria-label={t("audit.filter.target")}
          placeholder={t("audit.filter.target")}
          value={texts.target}
          onChange={(event) => change({ target: event.currentTarget.value })}
          w={{ base: "100%", xs: 280 }}
        />
        <Button
          ml="auto"
          variant="default"
          leftSection={<IconDownload size={16} />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          {t("usage.export.csv")}
        </Button>
      </Group>
      {download.error !== null && <Failure error={download.error} />}
    </>
  );
}
