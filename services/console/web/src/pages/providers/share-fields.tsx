import { NumberInput, SimpleGrid, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { AmountInput } from "../../ui/amount-input.tsx";
import type { ShareValues } from "./credential-share.ts";

interface Props {
  readonly values: ShareValues;
  readonly onChange: (change: Partial<ShareValues>) => void;
}

/** How a credential shares the calls to its provider, and what it may spend. */
export function ShareFields({ values, onChange }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label={t("providers.share.weight")}
          description={t("providers.share.weightAbout")}
          placeholder="1"
          min={0}
          allowNegative={false}
          value={values.weight}
          onChange={(weight) => onChange({ weight })}
        />
        <NumberInput
          label={t("providers.share.priority")}
          description={t("providers.share.priorityAbout")}
          placeholder="0"
          min={0}
          max={1_000}
          allowDecimal={false}
          allowNegative={false}
          value={values.priority}
          onChange={(priority) => onChange({ priority })}
        />
        <AmountInput
          label={t("providers.share.dailyCap")}
          description={t("providers.share.dailyCapAbout")}
          placeholder={t("common.unlimited")}
          value={values.dailyCap}
          onChange={(dailyCap) => onChange({ dailyCap })}
        />
        <AmountInput
          label={t("providers.share.monthlyCap")}
          description={t("providers.share.monthlyCapAbout")}
          placeholder={t("common.unlimited")}
          value={values.monthlyCap}
          onChange={(monthlyCap) => onChange({ monthlyCap })}
        />
      </SimpleGrid>
      <TextInput
        label={t("providers.share.account")}
        description={t("providers.share.accountAbout")}
        value={values.account}
        onChange={({ currentTarget }) => onChange({ account: currentTarget.value })}
        maxLength={64}
      />
    </>
  );
}
