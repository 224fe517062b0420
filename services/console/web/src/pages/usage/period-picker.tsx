import { Button, Group, Popover, Stack, TextInput } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { isoOfLocal, localOfIso, timeText } from "../../format/time.ts";
import { usePeriod } from "./usage.ts";

const route = getRouteApi("/app/usage");

/** A period to the minute, in the viewer's zone; the address has it in UTC. */
export function PeriodPicker() {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/usage" });
  const { from, until } = route.useSearch();
  const period = usePeriod();
  const [opened, setOpened] = useState(false);
  const set = (change: { from?: string | undefined; until?: string | undefined }): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const isChosen = typeof period !== "string";
  const label = isChosen
    ? `${timeText(period.from, "hour")} – ${timeText(period.until, "hour")}`
    : t("usage.period.choose");
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus withinPortal>
      <Popover.Target>
        <Button
          variant={isChosen ? "light" : "default"}
          leftSection={<IconCalendar size={16} />}
          aria-expanded={opened}
          onClick={() => setOpened((before) => !before)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <TextInput
            type="datetime-local"
            label={t("usage.period.from")}
            value={localOfIso(from)}
            onChange={(event) => set({ from: isoOfLocal(event.currentTarget.value) })}
          />
          <TextInput
            type="datetime-local"
            label={t("usage.period.until")}
            description={t("usage.period.zone", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}
            value={localOfIso(until)}
            onChange={(event) => set({ until: isoOfLocal(event.currentTarget.value) })}
          />
          <Group justify="space-between">
            <Button variant="subtle" size="xs" onClick={() => set({ from: undefined, until: undefined })}>
              {t("usage.period.clear")}
            </Button>
            <Button size="xs" onClick={() => setOpened(false)}>
              {t("common.done")}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
