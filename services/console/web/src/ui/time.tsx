import { Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { relativeText, timeText } from "../format/time.ts";

interface Props {
  readonly at: string | null;
  readonly as?: "time" | "second" | "date" | "relative";
}

/**
 * Chinese would break within a date. A time may still break at its spaces, because on a phone it
 * shares its line with the cost.
 */
const unbroken = {
  time: { wordBreak: "keep-all" },
  second: { wordBreak: "keep-all" },
  date: { whiteSpace: "nowrap" },
  relative: { whiteSpace: "nowrap" },
} as const;

/** A time in the viewer's zone; the tooltip has the exact one. Nothing is a dash. */
export function Time({ at, as = "time" }: Props) {
  const { t } = useTranslation();
  if (at === null)
    return (
      <Text component="span" inherit c="dimmed" aria-label={t("common.none")}>
        —
      </Text>
    );
  return (
    <Tooltip label={`${timeText(at, "exact")} · ${at}`}>
      <Text component="time" inherit dateTime={at} style={unbroken[as]}>
        {as === "relative" ? relativeText(at) : timeText(at, as)}
      </Text>
    </Tooltip>
  );
}
