import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** Copies a text and says so. */
export function Copy({ value, label }: { readonly value: string; readonly label?: string }) {
  const { t } = useTranslation();
  return (
    <CopyButton value={value} timeout={1_500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t("common.copied") : (label ?? t("common.copy"))}>
          <ActionIcon
            variant="subtle"
            color={copied ? "teal" : "gray"}
            onClick={copy}
            aria-label={label ?? t("common.copy")}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
