import { Badge, Group, Table, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "../../api/types.ts";
import { nanoUsdOf, shortUsd } from "../../format/money.ts";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { priceText } from "../models/prices.ts";
import { DeleteModal } from "./delete-modal.tsx";
import { type Credential, hintOf, type KeyState, keyStateColors, keyStateOf, providerPath } from "./providers.ts";
import { RowActions } from "./row-actions.tsx";
import { useChange } from "./use-change.ts";

interface RowProps {
  readonly of: Credential;
  readonly state: KeyState;
  readonly onToggle: () => void;
  readonly onDelete: () => void;
}

function StateOf({ state }: { readonly state: KeyState }) {
  const { t } = useTranslation();
  return (
    <Badge variant="light" color={keyStateColors[state]} tt="none" fw={500}>
      {t(`providers.keyStates.${state}`)}
    </Badge>
  );
}

/** The keys of the catalogue's file that are in use; they cannot be changed here. A simulated provider has none. */
function FileRows({ of: { pool, state } }: { readonly of: Provider }) {
  if (state === "simulated") return null;
  return pool
    .filter(({ id }) => id === null)
    .map(({ name, state }) => (
      <Table.Tr key={name}>
        <Table.Td colSpan={2}>
          <Group gap="xs">
            <Text size="sm" ff="monospace">
              {name}
            </Text>
            <StateOf state={state} />
          </Group>
        </Table.Td>
      </Table.Tr>
    ));
}

/** What a credential with a cap has spent, such as "Today $1.20 of $5.00". */
function SpendOf({ of: credential }: { readonly of: Credential }) {
  const { t } = useTranslation();
  const periods = [
    ["spentToday", credential.spent_today_usd, credential.daily_cap_usd],
    ["spentThisMonth", credential.spent_this_month_usd, credential.monthly_cap_usd],
  ] as const;
  const parts = periods.flatMap(([name, spent, cap]) =>
    cap === null ? [] : [t(`providers.${name}`, { spent: shortUsd(nanoUsdOf(spent)), cap: priceText(cap) })],
  );
  if (parts.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" className="tabular">
      {parts.join(" · ")}
    </Text>
  );
}

function Row({ of: credential, state, onToggle, onDelete }: RowProps) {
  const { name, enabled, created_at: createdAt, created_by: createdBy } = credential;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text size="sm" ff="monospace">
            {hintOf(credential)}
          </Text>
          <StateOf state={state} />
        </Group>
        <Text size="xs" c="dimmed">
          {name !== "" && `${name} · `}
          <Time at={createdAt} as="relative" />
          {createdBy !== "" && ` · ${createdBy}`}
        </Text>
        <SpendOf of={credential} />
      </Table.Td>
      <Table.Td ta="right">
        <RowActions enabled={enabled} onToggle={onToggle} onDelete={onDelete} />
      </Table.Td>
    </Table.Tr>
  );
}

/** The keys of a provider that were added in the running gateway, newest first. */
export function Credentials({ of: provider }: { readonly of: Provider }) {
  const { t } = useTranslation();
  const [leaving, setLeaving] = useState<Credential>();
  const change = useChange();
  const toggle = ({ id, revision, enabled }: Credential): void =>
    change.mutate({
      path: providerPath(provider.id, "credentials", id),
      method: "PATCH",
      body: { revision, enabled: !enabled },
      done: t("common.saved"),
    });
  return (
    <Panel title={t("providers.credentials")}>
      <Text size="xs" c="dimmed" mb="sm">
        {t(provider.credentials.length === 0 ? "providers.noCredentials" : "providers.credentialsAbout")}
      </Text>
      {change.error !== null && <Failure error={change.error} />}
      <Table fz="sm" horizontalSpacing={0}>
        <Table.Tbody>
          <FileRows of={provider} />
          {provider.credentials.toReversed().map((credential) => (
            <Row
              key={credential.id}
              of={credential}
              state={keyStateOf(provider, credential)}
              onToggle={() => toggle(credential)}
              onDelete={() => setLeaving(credential)}
            />
          ))}
        </Table.Tbody>
      </Table>
      <DeleteModal
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={t("providers.deleteTitle", { hint: leaving === undefined ? "" : hintOf(leaving) })}
        about={t("providers.deleteAbout")}
        path={providerPath(provider.id, "credentials", leaving?.id ?? "")}
        done={t("providers.deleted")}
      />
    </Panel>
  );
}
