import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPencil, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Key, NewKey } from "../../api/types.ts";
import { useMayChange } from "../../session/use-session.ts";
import { Copy } from "../../ui/copy.tsx";
import { FactRow, Facts } from "../../ui/facts.tsx";
import { TextLink } from "../../ui/links.tsx";
import { AccountName } from "../../ui/names.tsx";
import { Time } from "../../ui/time.tsx";
import { BudgetName } from "./budget-name.tsx";
import { KeyRefusals } from "./key-refusals.tsx";
import { KeyUseBars } from "./key-use.tsx";
import { statusOf, tagsOf } from "./keys.ts";
import { RegenerateKeyModal } from "./regenerate-key-modal.tsx";
import { RevokeKeyModal } from "./revoke-key-modal.tsx";
import { KeyExpiry, KeyLimits, KeySpending } from "./use-key-columns.tsx";

function Tags({ of: key }: { readonly of: Key }) {
  const tags = tagsOf(key);
  if (tags.length === 0) return "—";
  return (
    <Group gap={4}>
      {tags.map((tag) => (
        <Badge key={tag} variant="default" tt="none" fw={500}>
          {tag}
        </Badge>
      ))}
    </Group>
  );
}

function Identity({ of: { id } }: { readonly of: Key }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
        {id}
      </Text>
      <Copy value={id} />
    </Group>
  );
}

function KeyFacts({ of: key }: { readonly of: Key }) {
  const { t } = useTranslation();
  return (
    <Facts>
      <FactRow name={t("keys.details.id")}>
        <Identity of={key} />
      </FactRow>
      <FactRow name={t("keys.made.key")}>
        <Text size="sm" ff="monospace">
          {key.hint}
        </Text>
      </FactRow>
      <FactRow name={t("keys.columns.account")}>
        <AccountName id={key.account_id} />
      </FactRow>
      <FactRow name={t("keys.columns.lastUsed")}>
        {key.last_used_at === null ? t("keys.details.notUsed") : <Time at={key.last_used_at} as="relative" />}
      </FactRow>
      <FactRow name={t("keys.details.lastHour")}>
        {t("keys.details.requests", { count: key.requests_last_hour ?? 0 })}
        {" · "}
        <TextLink to="/usage" search={{ key: key.id }} size="sm" underline="always">
          {t("keys.details.usage")}
        </TextLink>
      </FactRow>
      <FactRow name={t("keys.columns.models")}>{key.models.join(", ") || t("keys.allModels")}</FactRow>
      <FactRow name={t("keys.columns.limits")}>
        <KeyLimits of={key} />
      </FactRow>
      {key.routing_strategy !== null && (
        <FactRow name={t("keys.form.strategy")}>{t(`keys.strategies.${key.routing_strategy}`)}</FactRow>
      )}
      <FactRow name={t("keys.columns.spent")}>
        <KeySpending of={key} />
      </FactRow>
      {key.budget_id !== null && (
        <FactRow name={t("keys.form.sharedBudget")}>
          <BudgetName id={key.budget_id} account={key.account_id} />
        </FactRow>
      )}
      <FactRow name={t("keys.columns.expires")}>
        <KeyExpiry of={key} />
      </FactRow>
      <FactRow name={t("keys.columns.created")}>
        <Time at={key.created_at} />
      </FactRow>
      {key.revoked_at !== null && (
        <FactRow name={t("keys.status.revoked")}>
          <Time at={key.revoked_at} />
        </FactRow>
      )}
      <FactRow name={t("keys.details.tags")}>
        <Tags of={key} />
      </FactRow>
    </Facts>
  );
}

interface Props {
  readonly of: Key;
  readonly onEdit: () => void;
  readonly onMade: (key: NewKey) => void;
}

/** All that is known of a key, and what can be done with it. */
export function KeyDetails({ of: key, onEdit, onMade }: Props) {
  const { t } = useTranslation();
  const mayChange = useMayChange("keys") && statusOf(key) !== "revoked";
  const [revoking, revoke] = useDisclosure(false);
  const [regenerating, regenerate] = useDisclosure(false);
  return (
    <Stack gap="lg">
      {mayChange && (
        <Group gap="xs">
          <Button size="xs" variant="default" leftSection={<IconPencil size={14} />} onClick={onEdit}>
            {t("keys.details.edit")}
          </Button>
          <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} onClick={regenerate.open}>
            {t("keys.details.regenerate")}
          </Button>
          <Button size="xs" variant="light" color="red" leftSection={<IconTrash size={14} />} onClick={revoke.open}>
            {t("keys.details.revoke")}
          </Button>
        </Group>
      )}
      <KeyUseBars of={key} />
      <KeyRefusals of={key} />
      <KeyFacts of={key} />
      <RevokeKeyModal of={key} opened={revoking} onClose={revoke.close} />
      <RegenerateKeyModal of={key} opened={regenerating} onClose={regenerate.close} onMade={onMade} />
    </Stack>
  );
}
