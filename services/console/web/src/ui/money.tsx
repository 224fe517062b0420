import { Text, type TextProps, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { exactUsd, nanoUsdOf, shortUsd } from "../format/money.ts";
import classes from "./money.module.css";

interface Props extends TextProps {
  /** As the API writes it, to the last nano-dollar. */
  readonly usd: string;
  /** In a column of amounts: the decimal points are below each other, except on a phone. */
  readonly isAligned?: boolean;
}

/** Decimals of an amount in a column; longer ones are rare, and stand out. */
const alignedDecimals = 6;

/** Takes the place of the decimals that an amount does not have. */
function Padding({ of: text }: { readonly of: string }) {
  const decimals = text.length - text.indexOf(".") - 1;
  if (decimals >= alignedDecimals) return null;
  return (
    <span aria-hidden className={classes["padding"]}>
      {"0".repeat(alignedDecimals - decimals)}
    </span>
  );
}

/** An amount, readable; the tooltip has all of it. */
export function Money({ usd, isAligned = false, ...props }: Props) {
  const { t } = useTranslation();
  const nano = nanoUsdOf(usd);
  const exact = `${exactUsd(nano)} · ${t("common.nanoUsd", { amount: nano.toLocaleString("en-US") })}`;
  return (
    <Tooltip label={exact}>
      <Text component="span" inherit className="tabular" {...props}>
        {shortUsd(nano)}
        {isAligned && <Padding of={shortUsd(nano)} />}
      </Text>
    </Tooltip>
  );
}
