import { Alert, Button, Code, Group, SimpleGrid, Stack } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconAlertTriangle, IconCopy, IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { saveText } from "../ui/save-text.ts";

/** Recovery codes, which are shown once, with the ways to keep them. */
export function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const { t } = useTranslation();
  const text = `${codes.join("\n")}\n`;
  const { copied, copy } = useClipboard({ timeout: 1_500 });
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title={t("twoFactor.saveCodes")}>
        {t("twoFactor.saveCodesAbout")}
      </Alert>
      <SimpleGrid cols={2} spacing="xs" aria-label={t("twoFactor.codes")} role="list">
        {codes.map((code) => (
          <Code key={code} block ta="center" role="listitem" fz="sm">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Group gap="xs">
          <Button variant="default" size="xs" leftSection={<IconCopy size={14} />} onClick={() => copy(text)}>
            {t(copied ? "common.copied" : "common.copy")}
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} />}
            onClick={() => saveText("ai-gateway-recovery-codes.txt", text, "text/plain")}
          >
            {t("common.download")}
          </Button>
        </Group>
        <Button onClick={onDone}>{t("twoFactor.savedCodes")}</Button>
      </Group>
    </Stack>
  );
}
