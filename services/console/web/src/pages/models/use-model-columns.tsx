import { Badge, Checkbox, Group, Stack, Text, Tooltip } from "@mantine/core";
import { IconBrain, IconEye, IconVolume } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { catalogQuery } from "../../api/provider-health.ts";
import type { CatalogModel, Model } from "../../api/types.ts";
import { compact, duration } from "../../format/number.ts";
import { type Columns, columnsOf } from "../../ui/data-table.tsx";
import { HealthBadge } from "../../ui/health-badge.tsx";
import { SimulatedIcon, useSimulated } from "../../ui/simulated.tsx";
import { Time } from "../../ui/time.tsx";
import { capabilitiesOf, isChatModel } from "./capabilities.ts";
import { unitText } from "./names.ts";
import { inputPrice, outputPrice, perOf, priceText } from "./prices.ts";

const column = columnsOf<Model>();

export function ModelName({ of: model, simulated = false }: { readonly of: Model; readonly simulated?: boolean }) {
  return (
    <Stack gap={0} miw={{ base: 0, sm: 160 }}>
      <Group gap={6} wrap="nowrap">
        <Text size="sm" fw={500}>
          {model.display_name}
        </Text>
        {simulated && <SimulatedIcon />}
      </Group>
      <Text size="xs" c="dimmed" ff="monospace" lh={1.3}>
        {model.id}
      </Text>
    </Stack>
  );
}

const flags = [
  { name: "vision", icon: IconEye, isOf: ({ input_modalities }: Model) => input_modalities.includes("image") },
  { name: "hearing", icon: IconVolume, isOf: ({ input_modalities }: Model) => input_modalities.includes("audio") },
  { name: "reasoning", icon: IconBrain, isOf: ({ reasoning }: Model) => reasoning !== undefined },
] as const;

/** What a text model can do beyond text, as icons. */
function Flags({ of: model }: { readonly of: Model }) {
  const { t } = useTranslation();
  if (!isChatModel(model)) return null;
  return flags
    .filter(({ isOf }) => isOf(model))
    .map(({ name, icon: Shape }) => (
      <Tooltip key={name} label={t(`models.flags.${name}`)}>
        <Shape size={16} stroke={1.7} style={{ flexShrink: 0 }} role="img" aria-label={t(`models.flags.${name}`)} />
      </Tooltip>
    ));
}

function Price({ of: price }: { readonly of: [unit: string, usd: number] | undefined }) {
  if (price === undefined) return "—";
  const [unit, usd] = price;
  return (
    <Group gap="0 4px" justify="flex-end">
      <Text size="sm">{priceText(usd)}</Text>
      {perOf(unit) === 1 && (
        <Text size="xs" c="dimmed">
          {unitText(unit)}
        </Text>
      )}
    </Group>
  );
}

export function Capabilities({ of: model }: { readonly of: Model }) {
  return (
    <Group gap={4} wrap="nowrap">
      {capabilitiesOf(model).map((name) => (
        <Badge key={name} variant="default" tt="none" fw={500} style={{ flexShrink: 0 }}>
          {name}
        </Badge>
      ))}
      <Flags of={model} />
    </Group>
  );
}

/** The catalogue's models by id: who serves them, and how that went in the last hour. */
function useCatalog(): ReadonlyMap<string, CatalogModel> {
  const { data = [] } = useQuery(catalogQuery);
  return useMemo(() => new Map(data.map((model) => [model.id, model])), [data]);
}

/** How a model did over all its providers, and its usual time to the first bytes. */
function Health({ of: model }: { readonly of: CatalogModel | undefined }) {
  if (model === undefined) return "—";
  const hours = model.providers.map(({ last_hour }) => last_hour);
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  const p50 = hours.find(({ latency_ms }) => latency_ms !== null)?.latency_ms?.p50;
  return (
    <Group gap={6} wrap="nowrap">
      <HealthBadge
        calls={sum(hours.map(({ calls }) => calls))}
        failures={sum(hours.map(({ failures }) => failures))}
        resting={sum(hours.map(({ resting }) => resting))}
        rejection={hours.find(({ rejection }) => rejection !== null)?.rejection ?? null}
      />
      {p50 !== undefined && (
        <Text size="xs" c="dimmed" className="tabular" style={{ whiteSpace: "nowrap" }}>
          {duration(p50)}
        </Text>
      )}
    </Group>
  );
}

/** The models that only simulated providers serve. */
function useSimulatedModels(): ReadonlySet<string> {
  const simulated = useSimulated();
  const { data = [] } = useQuery({ ...catalogQuery, enabled: simulated.size > 0 });
  return useMemo(() => {
    const invented = data.filter(({ providers }) => providers.every(({ provider }) => simulated.has(provider)));
    return new Set(invented.map(({ id }) => id));
  }, [data, simulated]);
}

/** The prices that models are compared by. */
const pricesOf = (t: TFunction): Columns<Model> => [
  column.accessor((model) => inputPrice(model)?.[1] ?? 0, {
    id: "input",
    header: t("models.columns.input"),
    cell: ({ row }) => <Price of={inputPrice(row.original)} />,
    meta: { align: "right" },
  }),
  column.accessor((model) => outputPrice(model)?.[1] ?? 0, {
    id: "output",
    header: t("models.columns.output"),
    cell: ({ row }) => <Price of={outputPrice(row.original)} />,
    meta: { align: "right" },
  }),
];

/** @param onPick receives the models to compare */
export function useModelColumns(
  picked: readonly string[],
  most: number,
  onPick: (ids: string[]) => void,
): Columns<Model> {
  const { t } = useTranslation();
  const simulated = useSimulatedModels();
  const catalog = useCatalog();
  return useMemo(
    () => [
      column.display({
        id: "pick",
        header: "",
        cell: ({ row: { original } }) => (
          <Checkbox
            size="xs"
            aria-label={t("models.pick", { name: original.display_name })}
            checked={picked.includes(original.id)}
            disabled={picked.length >= most && !picked.includes(original.id)}
            onChange={(event) =>
              onPick(event.currentTarget.checked ? [...picked, original.id] : picked.filter((id) => id !== original.id))
            }
          />
        ),
        meta: { from: "sm" },
      }),
      column.accessor((model) => model.display_name.toLowerCase(), {
        id: "model",
        header: t("models.columns.model"),
        cell: ({ row }) => <ModelName of={row.original} simulated={simulated.has(row.original.id)} />,
      }),
      column.accessor(
        ({ id, owned_by }) =>
          catalog
            .get(id)
            ?.providers.map(({ provider }) => provider)
            .join(", ") || owned_by,
        { id: "provider", header: t("models.columns.provider"), meta: { from: "md" } },
      ),
      column.display({
        id: "does",
        header: t("models.columns.does"),
        cell: ({ row }) => <Capabilities of={row.original} />,
        meta: { from: "md" },
      }),
      column.display({
        id: "health",
        header: t("models.columns.health"),
        cell: ({ row }) => <Health of={catalog.get(row.original.id)} />,
        meta: { from: "lg" },
      }),
      column.accessor("created", {
        id: "released",
        header: t("models.columns.released"),
        cell: ({ row }) => <Time at={row.original.created_at} as="date" />,
        meta: { from: "xl" },
      }),
      column.accessor((model) => model.context_tokens ?? 0, {
        id: "context",
        header: t("models.columns.context"),
        cell: ({ getValue }) => (getValue() === 0 ? "—" : compact(getValue())),
        meta: { align: "right", from: "sm" },
      }),
      ...pricesOf(t),
    ],
    [t, picked, most, onPick, simulated, catalog],
  );
}
