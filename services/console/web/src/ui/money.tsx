import { Text, type TextProps, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { exactUsd, nanoUsdOf, shortUsd } from "../format/money.ts";

interface Props extends TextProps {
  /** As the API writes it, to the last nano-dollar. */
  readonly usd: string;
}

/** An amount, readable; the tooltip has all of it. */
export function Money({ usd, ...props }: Props) {
  const { t } = useTranslation();
  const nano = nanoUsdOf(usd);
  const exact = `${exactUsd(nano)} · ${t("common.nanoUsd", { amount: nano.toLocaleString("en-US") })}`;
  return (
    <Tooltip label={exact}>
      <Text component="span" inherit className="tabular" {...props}>
        {shortUsd(nano)}
      </Text>
    </Tooltip>
  );
}
