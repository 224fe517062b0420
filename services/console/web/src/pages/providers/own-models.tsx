import { Badge, Checkbox, Group, ScrollArea, Stack, Table, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { OwnModel, Provider } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { Failure } from "../../ui/failure.tsx";
import { priceText } from "../models/prices.ts";
import { addable, addModels, ownModelsQuery } from "./own-models.ts";
import { refreshProviders } from "./use-change.ts";

/** The price with which the model would be added, or why it cannot be. */
function Price({ of: model }: { readonly of: OwnModel }) {
  const { t } = useTranslation();
  if (model.served_as.length > 0) return t("providers.own.served", { model: model.served_as.join(", ") });
  const start = addable(model);
  if (start === undefined) return t(model.prices.length > 0 ? "providers.own.disagree" : "providers.own.unpriced");
  if (start.from === "catalog") return t("providers.own.like", { model: model.like ?? "" });
  const [input, output] = [start.price["input_tokens"], start.price["output_tokens"]];
  return `${priceText(Number(input))} / ${priceText(Number(output))} · ${model.prices.map(({ table }) => table).join(", ")}`;
}

interface RowProps {
  readonly of: OwnModel;
  readonly checked: boolean;
  readonly onToggle: () => void;
}

function Row({ of: model, checked, onToggle }: RowProps) {
  const { t } = useTranslation();
  const isServed = model.served_as.length > 0;
  return (
    <Table.Tr>
      <Table.Td w={36} style={{ verticalAlign: "top" }}>
        <Checkbox
          aria-label={model.id}
          checked={checked || isServed}
          disabled={isServed || addable(model) === undefined}
          onChange={onToggle}
        />
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <Group gap="xs">
          <Text size="sm" ff="monospace">
            {model.id}
          </Text>
          {isServed && (
            <Badge variant="light" color="teal" tt="none" fw={500}>
              {t("providers.own.isServed")}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" className="tabular">
          <Price of={model} />
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

interface Props {
  readonly of: Provider;
  readonly onDone: () => void;
}

/** The provider's own list of models: those that are ticked are added with their prices. */
export function OwnModels({ of: provider, onDone }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useQuery(ownModelsQuery(provider.id));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState("");
  const toggle = (id: string): void =>
    setChosen((before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]));
  const shown = data?.data.filter(({ id }) => id.toLowerCase().includes(search.trim().toLowerCase())) ?? [];
  const add = useMutation({
    mutationFn: () => addModels(provider.id, data?.data.filter(({ id }) => chosen.has(id)) ?? [], toggle),
    onSuccess: onDone,
    onSettled: () => Promise.all([refreshProviders(client), refetch()]),
  });
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        {t("providers.own.about")}
      </Text>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && (
        <Text size="sm" c="dimmed">
          {t("providers.own.loading")}
        </Text>
      )}
      {data !== undefined && (
        <>
          <TextInput
            aria-label={t("providers.own.search")}
            placeholder={t("providers.own.search")}
            value={search}
            onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          <ScrollArea.Autosize mah={360}>
            <Table fz="sm" horizontalSpacing={0}>
              <Table.Tbody>
                {shown.map((model) => (
                  <Row key={model.id} of={model} checked={chosen.has(model.id)} onToggle={() => toggle(model.id)} />
                ))}
              </Table.Tbody>
            </Table>
            {shown.length === 0 && (
              <Text size="sm" c="dimmed">
                {t("providers.own.none")}
              </Text>
            )}
          </ScrollArea.Autosize>
        </>
      )}
      <Actions of={add} onCancel={onDone} onClick={() => add.mutate()} disabled={chosen.size === 0}>
        {t("providers.own.add", { count: chosen.size })}
      </Actions>
    </Stack>
  );
}
