import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Key } from "../../api/types.ts";
import { TextLink } from "../../ui/links.tsx";
import { Time } from "../../ui/time.tsx";
import { refusalsQuery } from "../usage/refusals.ts";

/** How many refusals the key's own page shows. */
const shown = 5;

/** The last refused requests of a key, and the way to the others; nothing if there were none. */
export function KeyRefusals({ of: { id, account_id: account } }: { readonly of: Key }) {
  const { t } = useTranslation();
  const { data = [] } = useQuery(refusalsQuery({ account, key: id }));
  if (data.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label={t("usage.refusals.title")}>
      <Title order={3} size="h4">
        {t("usage.refusals.title")}
      </Title>
      {data.slice(0, shown).map(({ request_id, refused_at, reason, status, message }) => (
        <Stack key={`${request_id} ${refused_at}`} gap={0}>
          <Text size="sm" fw={500}>
            {t(`usage.refusals.reason.${reason}`)} · {status}
            <Text component="span" size="xs" c="dimmed" fw={400}>
              {" · "}
              <Time at={refused_at} as="relative" />
            </Text>
          </Text>
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {message}
          </Text>
        </Stack>
      ))}
      <TextLink to="/usage" search={{ key: id }} size="sm">
        {t("usage.refusals.all")}
      </TextLink>
    </Stack>
  );
}
