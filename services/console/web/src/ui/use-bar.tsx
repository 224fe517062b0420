import { Group, Progress, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  readonly name: string;
  /** The amounts that the bar shows. */
  readonly figures: string;
  /** 100 is all of it; more is shown as that. */
  readonly percent: number;
  readonly hint?: ReactNode;
}

/** At this percentage, a limit is shown as nearly used up. */
const nearlyUsed = 80;

/** The color of a bar by the percentage that is used. */
export function colorOfUse(percent: number): string {
  if (percent >= 100) return "red";
  return percent >= nearlyUsed ? "orange" : "teal";
}

/** A bar that shows how much of a limit or a budget is used. */
export function UseBar({ name, figures, percent, hint }: Props) {
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm">{name}</Text>
        <Text size="sm" c="dimmed" className="tabular" style={{ whiteSpace: "nowrap" }}>
          {figures}
        </Text>
      </Group>
      <Progress value={Math.min(100, percent)} color={colorOfUse(percent)} aria-label={`${name}: ${figures}`} />
      {hint !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {hint}
        </Text>
      )}
    </Stack>
  );
}
