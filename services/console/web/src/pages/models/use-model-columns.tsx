import { Badge, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Model } from "../../api/types.ts";
import { compact } from "../../format/number.ts";
import { type Columns, columnsOf } from "../../ui/data-table.tsx";
import { unitText } from "./names.ts";
import { capabilitiesOf, inputPrice, outputPrice, perOf, priceText } from "./prices.ts";

const column = columnsOf<Model>();

export function ModelName({ of: model }: { readonly of: Model }) {
  return (
    <Stack gap={0}>
      <Text size="sm" fw={500}>
        {model.display_name}
      </Text>
      <Text size="xs" c="dimmed" ff="monospace">
        {model.id}
      </Text>
    </Stack>
  );
}

export function Price({ of: price }: { readonly of: [unit: string, usd: number] | undefined }) {
  const { t } = useTranslation();
  if (price === undefined) return "—";
  const [unit, usd] = price;
  const per = perOf(unit) === 1 ? unitText(unit) : t("models.perMillion");
  return (
    <Stack gap={0} align="flex-end">
      <Text size="sm">{priceText(usd)}</Text>
      <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
        {per}
      </Text>
    </Stack>
  );
}

export function Capabilities({ of: model }: { readonly of: Model }) {
  const { t } = useTranslation();
  return (
    <Group gap={4}>
      {capabilitiesOf(model).map((name) => (
        <Badge key={name} variant="default" tt="none" fw={500}>
          {t(`models.operations.${name}`)}
        </Badge>
      ))}
    </Group>
  );
}

/** @param onPick receives the models to compare */
export function useModelColumns(
  picked: readonly string[],
  most: number,
  onPick: (ids: string[]) => void,
): Columns<Model> {
  const { t } = useTranslation();
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
        cell: ({ row }) => <ModelName of={row.original} />,
      }),
      column.accessor("owned_by", { id: "owner", header: t("models.columns.owner"), meta: { from: "md" } }),
      column.display({
        id: "does",
        header: t("models.columns.does"),
        cell: ({ row }) => <Capabilities of={row.original} />,
        meta: { from: "md" },
      }),
      column.accessor((model) => model.context_tokens ?? 0, {
        id: "context",
        header: t("models.columns.context"),
        cell: ({ getValue }) => (getValue() === 0 ? "—" : compact(getValue())),
        meta: { align: "right", from: "sm" },
      }),
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
    ],
    [t, picked, most, onPick],
  );
}
