import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Provider } from "../../api/types.ts";
import { stateColors } from "./providers.ts";

/** Whether a provider serves requests, in a word. */
export function StateBadge({ of: { state } }: { readonly of: Provider }) {
  const { t } = useTranslation();
  return (
    <Badge variant="dot" color={stateColors[state]} tt="none" fw={500}>
      {t(`providers.states.${state}`)}
    </Badge>
  );
}
