import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { nanoUsdOf, shortUsd } from "../../format/money.ts";
import { useUser } from "../../session/use-session.ts";
import { TextLink } from "../../ui/links.tsx";
import { pathsOf, sharedBudgetsQuery } from "../billing/shared-budgets.ts";

interface Props {
  readonly id: string;
  readonly account: string;
}

/** A shared budget by its name, as a link to it, with what is spent of it; by its id for members, who cannot read budgets. */
export function BudgetName({ id, account }: Props) {
  const { t } = useTranslation();
  const { role } = useUser();
  const { data: budgets = [] } = useQuery({ ...sharedBudgetsQuery(account), enabled: role !== "member" });
  const budget = budgets.find((one) => one.id === id);
  if (budget === undefined) return id;
  const used = shortUsd(nanoUsdOf(budget.spent_usd));
  const limit = shortUsd(nanoUsdOf(budget.max_budget.toFixed(9)));
  return (
    <>
      <TextLink to="/billing" search={{ account }} size="sm" underline="always">
        {pathsOf(budgets).get(id)}
      </TextLink>
      {` · ${t("keys.use.used", { used, limit })} ${t(`billing.shared.per.${budget.period}`)}`}
    </>
  );
}
