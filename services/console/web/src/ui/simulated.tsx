import { Badge, Code, Group, Text, Tooltip } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { integer } from "../format/number.ts";
import { useSession, useUser } from "../session/use-session.ts";
import classes from "./simulated.module.css";

/** The variable that makes a simulated provider real; undefined for a real one. */
export function useSimulated(): ReadonlyMap<string, string> {
  const { simulated } = useSession();
  return useMemo(() => new Map(simulated.map(({ provider, variable }) => [provider, variable])), [simulated]);
}

/** The badge as an icon, for long lists. */
export function SimulatedIcon() {
  const { t } = useTranslation();
  return (
    <Tooltip label={t("simulated.badge")}>
      <IconFlask
        size={14}
        color="var(--mantine-color-grape-text)"
        role="img"
        aria-label={t("simulated.badge")}
        style={{ flexShrink: 0 }}
      />
    </Tooltip>
  );
}

/** Marks a provider, or a model that only such providers serve. */
export function SimulatedBadge({ variable }: { readonly variable?: string | undefined }) {
  const { t } = useTranslation();
  const hint = t("simulated.hint");
  const label = variable === undefined ? hint : `${hint} ${t("simulated.realWith", { variable })}`;
  return (
    <Tooltip label={label} multiline maw={280} withArrow>
      <Badge variant="light" color="grape" tt="none" fw={500} tabIndex={0} style={{ flexShrink: 0 }}>
        {t("simulated.badge")}
      </Badge>
    </Tooltip>
  );
}

/** How many providers are named before the rest is only counted. */
const mostNamed = 3;

/** States on every page that some providers are simulated, and how they become real. */
export function SimulatedBanner() {
  const { t } = useTranslation();
  const { simulated } = useSession();
  const { role } = useUser();
  const [first] = simulated;
  if (first === undefined) return null;
  const names = simulated.slice(0, mostNamed).map(({ provider }) => provider);
  const more = simulated.length - names.length;
  const list = names.join(t("common.comma"));
  return (
    <Group role="note" gap="xs" wrap="nowrap" align="flex-start" className={classes["banner"]} px="sm" py={6} mb="md">
      <IconFlask size={16} aria-hidden className={classes["icon"]} />
      <Text size="sm">
        {more > 0
          ? t("simulated.bannerMore", { names: list, more: integer(more) })
          : t("simulated.banner", { names: list })}
        {role === "operator" && (
          <Text span size="sm" visibleFrom="sm">
            {" "}
            {t("simulated.real")} <Code style={{ whiteSpace: "nowrap" }}>{first.variable}=… npm start</Code>
          </Text>
        )}
      </Text>
    </Group>
  );
}
