import { NumberInput } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** Limits that keys and budgets have in common. */
const rates = [
  ["rpm_limit", "keys.form.rpm"],
  ["tpm_limit", "keys.form.tpm"],
  ["max_parallel_requests", "keys.form.concurrency"],
] as const;

export type RateName = (typeof rates)[number][0];

/** How a form shows a limit that may be left empty. */
export const useLimitProps = () => ({
  min: 1,
  allowDecimal: false,
  allowNegative: false,
  thousandSeparator: ",",
  placeholder: useTranslation().t("common.unlimited"),
});

interface Props {
  /** What a form knows of an input. */
  readonly form: { readonly key: (name: RateName) => string; readonly getInputProps: (name: RateName) => object };
}

/** Inputs for the limits of requests, tokens and concurrency. */
export function RateInputs({ form }: Props) {
  const { t } = useTranslation();
  const limit = useLimitProps();
  return rates.map(([name, label]) => (
    <NumberInput key={form.key(name)} label={t(label)} {...limit} {...form.getInputProps(name)} />
  ));
}
