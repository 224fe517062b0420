import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { percent } from "../format/number.ts";

interface Props {
  readonly calls: number;
  readonly failures: number;
  /** How many processes, or models, have it rest. */
  readonly resting: number;
  /** Whether it rejects the gateway's API key, or the gateway's account there has no credit. */
  readonly rejection: "operator" | "quota" | null;
}

/** More failures than this share are more than chance. */
export const maxFailureRate = 0.05;

/** How a provider did in the last hour, in a word. */
export function HealthBadge({ calls, failures, resting, rejection }: Props) {
  const { t } = useTranslation();
  const share = calls === 0 ? 0 : failures / calls;
  const [color, text] =
    rejection !== null
      ? (["red", t(`fleet.health.${rejection}`)] as const)
      : resting > 0
        ? (["orange", t("fleet.health.resting")] as const)
        : calls === 0
          ? (["gray.5", t("fleet.health.unasked")] as const)
          : share > maxFailureRate
            ? (["red", t("fleet.health.failing", { share: percent(share) })] as const)
            : (["teal", t("fleet.health.well")] as const);
  return (
    <Badge variant="dot" color={color} tt="none" fw={500}>
      {text}
    </Badge>
  );
}
