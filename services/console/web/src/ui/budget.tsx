import { useTranslation } from "react-i18next";
import { Time } from "./time.tsx";
import { UseBar } from "./use-bar.tsx";

/** A budget that refills evenly over an hour. */
export interface BudgetProps {
  readonly name: string;
  readonly perHour: number;
  readonly used: number;
  /** When it is full again; null if it is full. */
  readonly fullAt: string | null;
}

/** A bar that shows how much of an hourly budget is used. */
export function Budget({ name, perHour, used, fullAt }: BudgetProps) {
  const { t } = useTranslation();
  const hint =
    fullAt === null ? (
      t("billing.budgets.unused")
    ) : (
      <>
        {t("billing.budgets.full")} <Time at={fullAt} as="relative" />
      </>
    );
  const figures = t("billing.budgets.used", { used, allowed: perHour });
  return <UseBar name={name} figures={figures} percent={(used / perHour) * 100} hint={hint} />;
}
