import { ActionIcon, Button, Kbd } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the search of everything, as Ctrl-K does. Its script is fetched at its first use. */
export function PaletteButton() {
  const { t } = useTranslation();
  // A further use shows the search again: the number makes it a new one.
  const [uses, setUses] = useState(0);
  const open = (): void => setUses((before) => before + 1);
  useHotkeys(uses === 0 ? [["mod+K", open]] : [], []);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="md"
        c="dimmed"
        fw={400}
        leftSection={<IconSearch size={14} />}
        rightSection={<Kbd size="xs">{isMac ? "⌘K" : "Ctrl K"}</Kbd>}
        onClick={open}
      >
        {t("common.search")}
      </Button>
      <ActionIcon
        hiddenFrom="md"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t("common.search")}
        onClick={open}
      >
        <IconSearch size={18} />
      </ActionIcon>
      {uses > 0 && (
        <Suspense fallback={null}>
          <Palette key={uses} />
        </Suspense>
      )}
    </>
  );
}
