import { Group, Progress, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Time } from "./time.tsx";

/** A budget that refills evenly over an hour. */
export interface BudgetProps {
  readonly name: string;
  readonly perHour: number;
  readonly used: number;
  /** When it is full again; null if it is full. */
  readonly fullAt: string | null;
}

/** At this percentage, a budget is shown as nearly used up. */
const nearlyUsed = 80;

function colorOf(percent: number): string {
  if (percent >= 100) return "red";
  return percent >= nearlyUsed ? "orange" : "teal";
}

/** A bar that shows how much of a budget is used. */
export function Budget({ name, perHour, used, fullAt }: BudgetProps) {
  const { t } = useTranslation();
  const percent = (used / perHour) * 100;
  const figures = t("billing.budgets.used", { used, allowed: perHour });
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">{name}</Text>
        <Text size="sm" c="dimmed" className="tabular" style={{ whiteSpace: "nowrap" }}>
          {figures}
        </Text>
      </Group>
      <Progress value={percent} color={colorOf(percent)} aria-label={`${name}: ${figures}`} />
      <Text size="xs" c="dimmed">
        {fullAt === null ? (
          t("billing.budgets.unused")
        ) : (
          <>
            {t("billing.budgets.full")} <Time at={fullAt} as="relative" />
          </>
        )}
      </Text>
    </Stack>
  );
}
