import { ActionIcon, Menu } from "@mantine/core";
import { IconCheck, IconLanguage } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { chooseLanguage, type Language, languages } from "../i18n/i18n.ts";

export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("shell.language")}>
          <IconLanguage size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(languages).map(([code, name]) => (
          <Menu.Item
            key={code}
            lang={code}
            onClick={() => void chooseLanguage(code as Language)}
            rightSection={i18n.language === code ? <IconCheck size={14} /> : undefined}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
