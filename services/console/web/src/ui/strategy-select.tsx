import { Select, type SelectProps } from "@mantine/core";
import { useTranslation } from "react-i18next";

export const strategies = ["priority", "weighted", "least_latency", "least_cost"] as const;

interface Props extends Omit<SelectProps, "data"> {
  /** Choices above the strategies. */
  readonly first?: readonly { readonly value: string; readonly label: string }[];
}

/** How requests are distributed over a model's providers. */
export function StrategySelect({ first = [], ...props }: Props) {
  const { t } = useTranslation();
  const named = strategies.map((value) => ({ value, label: t(`keys.strategies.${value}`) }));
  return (
    <Select
      label={t("keys.form.strategy")}
      description={t("keys.form.strategyHint")}
      data={[...first, ...named]}
      allowDeselect={false}
      {...props}
    />
  );
}
