import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Envelope } from "../../api/types.ts";

const colors = { open: "teal", expired: "gray", closed: "gray" } as const;

export function EnvelopeStatus({ of: status }: { readonly of: Envelope["status"] }) {
  const { t } = useTranslation();
  return (
    <Badge variant="dot" color={colors[status]} tt="none" fw={500}>
      {t(`envelopes.status.${status}`)}
    </Badge>
  );
}
