import { Button, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface RowActionsProps {
  readonly enabled: boolean;
  readonly onToggle: () => void;
  /** Undefined where nothing else can be changed. */
  readonly onEdit?: () => void;
  /** Undefined where the row comes from the catalogue file, which only a deployment changes. */
  readonly onDelete: (() => void) | undefined;
}

/** The buttons that disable or enable what a row shows, and delete it. */
export function RowActions({ enabled, onToggle, onEdit, onDelete }: RowActionsProps) {
  const { t } = useTranslation();
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {onEdit !== undefined && (
        <Button size="compact-xs" variant="subtle" onClick={onEdit}>
          {t("providers.edit.open")}
        </Button>
      )}
      <Button size="compact-xs" variant="subtle" onClick={onToggle}>
        {t(enabled ? "providers.disableKey" : "providers.enableKey")}
      </Button>
      {onDelete !== undefined && (
        <Button size="compact-xs" variant="subtle" color="red" onClick={onDelete}>
          {t("providers.deleteKey")}
        </Button>
      )}
    </Group>
  );
}
