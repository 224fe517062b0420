import { Badge, Button, Group, Skeleton, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { catalogQuery } from "../../api/provider-health.ts";
import type { CatalogModel, Provider } from "../../api/types.ts";
import { duration } from "../../format/number.ts";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { inputPrice, outputPrice, priceText } from "../models/prices.ts";
import { AddModelForm } from "./add-model-form.tsx";
import { DeleteModal } from "./delete-modal.tsx";
import { EditModelModal } from "./edit-model-modal.tsx";
import { OwnModels } from "./own-models.tsx";
import { modelPath } from "./providers.ts";
import { RowActions } from "./row-actions.tsx";
import { useChange } from "./use-change.ts";

/** That calls to the provider for this model are paused at present. */
function Health({ of: { providers }, provider }: { readonly of: CatalogModel; readonly provider: string }) {
  const { t } = useTranslation();
  const { circuit = "closed", rests_for_ms: restsMs = 0 } =
    providers.find((each) => each.provider === provider)?.last_hour ?? {};
  const text =
    circuit !== "closed"
      ? t(`models.providers.circuits.${circuit}`)
      : restsMs > 0 && t("models.providers.rests", { time: duration(restsMs) });
  if (text === false) return null;
  return (
    <Badge variant="light" color={circuit === "open" ? "red" : "orange"} tt="none" fw={500}>
      {text}
    </Badge>
  );
}

/** How a model's requests are routed, where it is not as for every model. */
function Routing({ of: { strategy, fallbacks } }: { readonly of: CatalogModel }) {
  const { t } = useTranslation();
  const parts = [
    ...(strategy === "priority" ? [] : [t(`keys.strategies.${strategy}`)]),
    ...(fallbacks.length === 0 ? [] : [t("providers.edit.fallsBack", { models: fallbacks.join(t("common.comma")) })]),
  ];
  if (parts.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {parts.join(" · ")}
    </Text>
  );
}

interface RowProps {
  readonly of: CatalogModel;
  readonly provider: string;
  readonly onToggle: () => void;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function Row({ of: model, provider, onToggle, onEdit, onDelete }: RowProps) {
  const { t } = useTranslation();
  const { id, enabled, source, changed } = model;
  const prices = [inputPrice(model), outputPrice(model)].filter((price) => price !== undefined);
  const isMarked = source === "runtime" || changed.length > 0;
  return (
    <Table.Tr>
      <Table.Td style={{ wordBreak: "break-word" }}>
        <Group gap="xs">
          <Text size="sm" ff="monospace">
            {id}
          </Text>
          {isMarked && (
            <Badge variant="light" tt="none" fw={500}>
              {t(source === "runtime" ? "providers.addedHere" : "providers.changed")}
            </Badge>
          )}
          <Health of={model} provider={provider} />
          {!enabled && (
            <Badge variant="light" color="gray" tt="none" fw={500}>
              {t("providers.off")}
            </Badge>
          )}
        </Group>
        {model.aliases !== undefined && (
          <Text size="xs" c="dimmed">
            {t("providers.edit.alsoNamed", { names: model.aliases.join(", ") })}
          </Text>
        )}
        <Routing of={model} />
        <Text size="xs" c="dimmed" className="tabular">
          {prices.map(([, usd]) => priceText(usd)).join(" / ")}
        </Text>
      </Table.Td>
      <Table.Td ta="right">
        <RowActions
          enabled={enabled}
          onToggle={onToggle}
          onEdit={onEdit}
          onDelete={source === "runtime" ? onDelete : undefined}
        />
      </Table.Td>
    </Table.Tr>
  );
}

/** The models that a provider serves, with those that were added here. */
export function ProviderModels({ of: provider }: { readonly of: Provider }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(catalogQuery);
  const [adding, setAdding] = useState<"form" | "list">();
  const done = (): void => setAdding(undefined);
  const [editing, setEditing] = useState<CatalogModel>();
  const [leaving, setLeaving] = useState<CatalogModel>();
  const change = useChange();
  const served = data?.filter(({ providers }) => providers.some((each) => each.provider === provider.id));
  const toggle = ({ id, revision, enabled }: CatalogModel): void =>
    change.mutate({
      path: modelPath(id),
      method: "PATCH",
      body: { revision, enabled: !enabled },
      done: t("common.saved"),
    });
  return (
    <Panel title={t("providers.served")}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {change.error !== null && <Failure error={change.error} />}
      {served === undefined ? (
        <Skeleton h={48} />
      ) : (
        <Table fz="sm" horizontalSpacing={0}>
          <Table.Tbody>
            {served.map((model) => (
              <Row
                key={model.id}
                of={model}
                provider={provider.id}
                onToggle={() => toggle(model)}
                onEdit={() => setEditing(model)}
                onDelete={() => setLeaving(model)}
              />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {served?.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          {t("providers.models.none")}
        </Text>
      )}
      {adding === "form" && <AddModelForm of={provider} onDone={done} />}
      {adding === "list" && <OwnModels of={provider} onDone={done} />}
      {adding === undefined && (
        <Group justify="flex-end" mt="sm">
          <Button variant="light" onClick={() => setAdding("list")}>
            {t("providers.own.open")}
          </Button>
          <Button variant="light" onClick={() => setAdding("form")}>
            {t("providers.models.add")}
          </Button>
        </Group>
      )}
      <EditModelModal of={editing} onClose={() => setEditing(undefined)} />
      <DeleteModal
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={t("providers.models.deleteTitle", { model: leaving?.id ?? "" })}
        about={t("providers.models.deleteAbout")}
        path={modelPath(leaving?.id ?? "")}
        done={t("providers.models.deleted")}
      />
    </Panel>
  );
}
