import { NavLink, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { mayOpen } from "../session/readers.ts";
import { useUser } from "../session/use-session.ts";
import { navigation } from "./navigation.ts";
import classes from "./shell.module.css";

export function NavLinks() {
  const { t } = useTranslation();
  const user = useUser();
  return navigation.map((section) => {
    const entries = [...section.entries].filter(({ to }) => mayOpen(to, user));
    if (entries.length === 0) return null;
    return (
      <Stack key={section.name} gap={2} mt="sm">
        <Text size="xs" c="dimmed" px="sm" pb={4}>
          {t(`nav.sections.${section.name}`)}
        </Text>
        {entries.map(({ to, name, icon: Shape }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            activeOptions={{ includeSearch: false, exact: to === "/" }}
            className={classes["link"]}
            label={t(`nav.${name}`)}
            leftSection={<Shape size={18} stroke={1.7} aria-hidden />}
            py={7}
          />
        ))}
      </Stack>
    );
  });
}
