import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Reconciliation } from "../../api/types.ts";

type StateName = Reconciliation["state"] | Reconciliation["figures"][number]["state"];

const colors: Readonly<Record<StateName, string>> = {
  agrees: "teal",
  drifts: "red",
  unreadable: "orange",
  not_comparable: "gray.5",
};

/** What a comparison came to, in a word. */
export function State({ of: state }: { readonly of: StateName }) {
  const { t } = useTranslation();
  return (
    <Badge variant={state === "drifts" ? "filled" : "dot"} color={colors[state]} tt="none" fw={500}>
      {t(`bills.states.${state}`)}
    </Badge>
  );
}
