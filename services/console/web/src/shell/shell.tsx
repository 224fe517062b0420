import "@mantine/notifications/styles.css";
import { AppShell, Burger, Group, ScrollArea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { listenForHints } from "../api/live.ts";
import { SimulatedBanner } from "../ui/simulated.tsx";
import { AccountGate } from "./account-gate.tsx";
import { AccountSwitcher } from "./account-switcher.tsx";
import { LanguageMenu } from "./language-menu.tsx";
import { Logo } from "./logo.tsx";
import { NavLinks } from "./nav-links.tsx";
import { PaletteButton } from "./palette-button.tsx";
import { SchemeButton } from "./scheme-button.tsx";
import classes from "./shell.module.css";
import { UserMenu } from "./user-menu.tsx";

/** What stands around every page behind the sign-in. */
export function Shell() {
  const { t } = useTranslation();
  const [opened, drawer] = useDisclosure(false);
  const { pathname } = useLocation();
  const client = useQueryClient();
  useEffect(() => listenForHints(client), [client]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when the page changes
  useEffect(drawer.close, [pathname]);
  return (
    <AppShell
      layout="alt"
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "md", sm: "xl" }}
    >
      <Notifications position="top-right" />
      <a href="#content" className={classes["skip"]}>
        {t("shell.skip")}
      </a>
      <AppShell.Header className={classes["bar"]}>
        <Group h="100%" px={{ base: "sm", sm: "xl" }} justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger opened={opened} onClick={drawer.toggle} hiddenFrom="sm" size="sm" aria-label={t("shell.menu")} />
            <AccountSwitcher />
          </Group>
          <Group gap={4} wrap="nowrap">
            <PaletteButton />
            <LanguageMenu />
            <SchemeButton />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes["navbar"]} aria-label={t("shell.navigation")}>
        <Group h={56} px="md" justify="space-between" wrap="nowrap">
          <Logo />
          <Burger opened onClick={drawer.close} hiddenFrom="sm" size="sm" aria-label={t("shell.closeMenu")} />
        </Group>
        <AppShell.Section grow component={ScrollArea} px="sm" pb="md">
          <NavLinks />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes["main"]}>
        <SimulatedBanner />
        <AccountGate>
          <Outlet />
        </AccountGate>
      </AppShell.Main>
    </AppShell>
  );
}
