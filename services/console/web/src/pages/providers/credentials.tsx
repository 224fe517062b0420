import { Badge, Group, SimpleGrid, Table, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "../../api/types.ts";
import { nanoUsdOf, shortUsd } from "../../format/money.ts";
import { duration } from "../../format/number.ts";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { UseBar } from "../../ui/use-bar.tsx";
import { priceText } from "../models/prices.ts";
import { capsOf, isShareUsual } from "./credential-share.ts";
import { DeleteModal } from "./delete-modal.tsx";
import { EditCredentialModal } from "./edit-credential-modal.tsx";
import { type KeyStatus, keyStateColors, keyStatusOf } from "./key-status.ts";
import { type Credential, hintOf, providerPath } from "./providers.ts";
import { RowActions } from "./row-actions.tsx";
import { useChange } from "./use-change.ts";

interface RowProps {
  readonly of: Credential;
  readonly status: KeyStatus;
  readonly onToggle: () => void;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function StateOf({ state, restsForMs }: KeyStatus) {
  const { t } = useTranslation();
  return (
    <Group gap={6}>
      <Badge variant="light" color={keyStateColors[state]} tt="none" fw={500}>
        {t(`providers.keyStates.${state}`)}
      </Badge>
      {restsForMs > 0 && (
        <Text size="xs" c="dimmed" className="tabular">
          {t("providers.restsFor", { time: duration(restsForMs) })}
        </Text>
      )}
    </Group>
  );
}

/** The keys of the catalogue's file that are in use; they cannot be changed here. A simulated provider has none. */
function FileRows({ of: { pool, state } }: { readonly of: Provider }) {
  if (state === "simulated") return null;
  return pool
    .filter(({ id }) => id === null)
    .map(({ name, state, rests_for_ms: restsForMs }) => (
      <Table.Tr key={name}>
        <Table.Td colSpan={2}>
          <Group gap="xs">
            <Text size="sm" ff="monospace">
              {name}
            </Text>
            <StateOf state={state} restsForMs={restsForMs} />
          </Group>
        </Table.Td>
      </Table.Tr>
    ));
}

/** How a credential shares the calls, unless it does as a new one. */
function ShareOf({ of: credential }: { readonly of: Credential }) {
  const { t } = useTranslation();
  if (isShareUsual(credential)) return null;
  const { weight, priority, account } = credential;
  const parts = [
    t("providers.share.weightOf", { weight }),
    t("providers.share.priorityOf", { priority }),
    ...(account === null ? [] : [t("providers.share.accountOf", { account })]),
  ];
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
      {parts.join(" · ")}
    </Text>
  );
}

/** What a credential has spent of its caps. */
function Caps({ of: credential }: { readonly of: Credential }) {
  const { t } = useTranslation();
  const caps = capsOf(credential);
  if (caps.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="xs" mt={6}>
      {caps.map(({ period, spent, cap }) => (
        <UseBar
          key={period}
          name={t(`providers.share.spent.${period}`)}
          figures={t("keys.use.used", { used: shortUsd(nanoUsdOf(spent)), limit: priceText(cap) })}
          percent={(Number(spent) / cap) * 100}
        />
      ))}
    </SimpleGrid>
  );
}

function Row({ of: credential, status, onToggle, onEdit, onDelete }: RowProps) {
  const { name, enabled, created_at: createdAt, created_by: createdBy } = credential;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text size="sm" ff="monospace">
            {hintOf(credential)}
          </Text>
          <StateOf {...status} />
        </Group>
        <Text size="xs" c="dimmed">
          {name !== "" && `${name} · `}
          <Time at={createdAt} as="relative" />
          {createdBy !== "" && ` · ${createdBy}`}
        </Text>
        <ShareOf of={credential} />
        <Caps of={credential} />
      </Table.Td>
      <Table.Td ta="right">
        <RowActions enabled={enabled} onToggle={onToggle} onEdit={onEdit} onDelete={onDelete} />
      </Table.Td>
    </Table.Tr>
  );
}

/** The keys of a provider that were added in the running gateway, newest first. */
export function Credentials({ of: provider }: { readonly of: Provider }) {
  const { t } = useTranslation();
  const [editing, setEditing] = useState<Credential>();
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
              status={keyStatusOf(provider, credential)}
              onToggle={() => toggle(credential)}
              onEdit={() => setEditing(credential)}
              onDelete={() => setLeaving(credential)}
            />
          ))}
        </Table.Tbody>
      </Table>
      <EditCredentialModal provider={provider} of={editing} onClose={() => setEditing(undefined)} />
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
