import { MantineProvider, mergeThemeOverrides } from "@mantine/core";
import { type PropsWithChildren, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { cssVariables, theme } from "../theme.ts";

/** The console's theme. The close buttons of dialogs and drawers are named in the visitor's language. */
export function Themed({ children }: PropsWithChildren) {
  const { t } = useTranslation();
  const named = useMemo(() => {
    const dialog = { defaultProps: { closeButtonProps: { "aria-label": t("common.close") } } };
    return mergeThemeOverrides(theme, { components: { Modal: dialog, Drawer: dialog } });
  }, [t]);
  return (
    <MantineProvider theme={named} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      {children}
    </MantineProvider>
  );
}
