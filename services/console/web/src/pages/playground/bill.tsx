import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Money } from "../../ui/money.tsx";
import { billQuery } from "./gateway.ts";

/** What a request cost, as soon as it is billed. */
export function Bill({ requestId }: { readonly requestId: string | null }) {
  const { t } = useTranslation();
  const { data, isError } = useQuery(billQuery(requestId));
  if (requestId === null || isError) return null;
  if (data === undefined)
    return (
      <Text component="span" inherit>
        {t("playground.costSoon")}
      </Text>
    );
  return <Money usd={data.event.cost_usd} />;
}
