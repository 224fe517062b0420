import { ActionIcon, Menu } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

const route = getRouteApi("/app/usage");

/** Columns that can be hidden or shown, in their order in the table. */
const optionalColumns = ["key", "status", "provider", "tokens", "firstByte", "duration", "attempts"] as const;
export type OptionalColumn = (typeof optionalColumns)[number];

const usual: readonly OptionalColumn[] = ["status", "tokens", "duration"];

/** The optional columns of the page's address; the usual ones without it. */
export function useShownColumns(): readonly OptionalColumn[] {
  const { columns } = route.useSearch();
  if (columns === undefined) return usual;
  const names = columns.split(",");
  return optionalColumns.filter((name) => names.includes(name));
}

/** Chooses the table's columns. */
export function ColumnMenu() {
  const { t } = useTranslation();
  const shown = useShownColumns();
  const navigate = useNavigate({ from: "/usage" });
  const toggle = (name: OptionalColumn): void => {
    const next = optionalColumns.filter((one) => (one === name ? !shown.includes(one) : shown.includes(one)));
    const isUsual = next.join() === usual.join();
    // A column of no name: an empty list would mean the usual ones.
    const columns = isUsual ? undefined : next.join() || "none";
    void navigate({ search: (before) => ({ ...before, columns }), replace: true });
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label={t("usage.columnMenu")}>
          <IconColumns3 size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {optionalColumns.map((name) => (
          <Menu.CheckboxItem key={name} checked={shown.includes(name)} onChange={() => toggle(name)}>
            {t(`usage.columns.${name}`)}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
