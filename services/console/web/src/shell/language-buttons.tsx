import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { chooseLanguage, type Language, languages } from "../i18n/i18n.ts";

/**
 * The other languages. The sign-in page has them instead of the menu, whose scripts are larger than
 * that whole page.
 */
export function LanguageButtons() {
  const { i18n } = useTranslation();
  return Object.entries(languages)
    .filter(([code]) => code !== i18n.language)
    .map(([code, name]) => (
      <Button
        key={code}
        lang={code}
        variant="subtle"
        color="gray"
        size="compact-sm"
        onClick={() => void chooseLanguage(code as Language)}
      >
        {name}
      </Button>
    ));
}
