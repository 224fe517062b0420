import { Button } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { integer } from "../format/number.ts";

interface Props {
  /** New rows that are not shown; with a gap, only the newest of them are known. */
  readonly of: { readonly rows: readonly unknown[]; readonly hasGap: boolean };
  readonly onClick: () => void;
}

/** Shows the new rows of a live listing. It is beside the title, so rows do not move. */
export function PendingButton({ of: { rows, hasGap }, onClick }: Props) {
  const { t } = useTranslation();
  if (rows.length === 0) return null;
  const count = `${integer(rows.length)}${hasGap ? "+" : ""}`;
  return (
    <Button size="xs" variant="light" leftSection={<IconArrowUp size={14} />} onClick={onClick}>
      {t("common.pending", { count: rows.length, rows: count })}
    </Button>
  );
}
