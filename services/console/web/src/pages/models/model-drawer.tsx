import { Badge, Drawer, Group, NumberInput, SimpleGrid, Stack, Table, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Model } from "../../api/types.ts";
import { Copy } from "../../ui/copy.tsx";
import { FactRow, Facts } from "../../ui/facts.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { isChatModel } from "./capabilities.ts";
import { ModelProviders } from "./model-providers.tsx";
import { modalityText, unitText } from "./names.ts";
import { costOf, perOf, priceText, type Quantities } from "./prices.ts";

function PriceRows({ usd, above }: { readonly usd: Readonly<Record<string, number>>; readonly above?: number }) {
  const { t } = useTranslation();
  return Object.entries(usd).map(([unit, price]) => (
    <Table.Tr key={`${above}-${unit}`}>
      <Table.Td>
        {unitText(unit)}
        {above !== undefined && (
          <Text size="xs" c="dimmed">
            {t("models.above", { count: above })}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">
        {priceText(price)}{" "}
        <Text component="span" size="xs" c="dimmed">
          {perOf(unit) === 1 ? t("models.each") : t("models.perMillion")}
        </Text>
      </Table.Td>
    </Table.Tr>
  ));
}

function Prices({ of: { price } }: { readonly of: Model }) {
  return (
    <Table fz="sm" horizontalSpacing={0}>
      <Table.Tbody>
        <PriceRows usd={price.usd} />
        {price.tiers.map(({ above_input_tokens: above, usd }) => (
          <PriceRows key={above} usd={usd} above={above} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** What the calculator begins with. */
const usual: Quantities = {
  input_tokens: 1_000,
  output_tokens: 500,
  characters: 1_000,
  images: 1,
  image_output_tokens: 4_000,
};

function Calculator({ of: model }: { readonly of: Model }) {
  const { t } = useTranslation();
  const units = Object.keys(model.price.usd);
  const [quantities, setQuantities] = useState<Quantities>(() =>
    Object.fromEntries(units.map((unit) => [unit, usual[unit] ?? 0])),
  );
  const cost = costOf(model, quantities);
  return (
    <Panel title={t("models.calculator")}>
      <Text size="xs" c="dimmed" mb="sm">
        {t("models.calculatorHint")}
      </Text>
      <SimpleGrid cols={2} spacing="sm">
        {units.map((unit) => (
          <NumberInput
            key={unit}
            label={unitText(unit)}
            size="xs"
            min={0}
            allowNegative={false}
            thousandSeparator=","
            value={quantities[unit] ?? 0}
            onChange={(value) => setQuantities((before) => ({ ...before, [unit]: Number(value) || 0 }))}
          />
        ))}
      </SimpleGrid>
      <Group justify="space-between" mt="md" aria-live="polite">
        <Text size="sm">{t("models.total")}</Text>
        <Text fw={600} className="tabular">
          {priceText(cost)}
        </Text>
      </Group>
      <Group justify="space-between">
        <Text size="sm">{t("models.thousand")}</Text>
        <Text fw={600} className="tabular">
          {priceText(cost * 1_000)}
        </Text>
      </Group>
    </Panel>
  );
}

function Modalities({ of: names }: { readonly of: readonly string[] }) {
  return (
    <Group gap={4}>
      {names.map((name) => (
        <Badge key={name} variant="default" tt="none" fw={500}>
          {modalityText(name)}
        </Badge>
      ))}
    </Group>
  );
}

function ModelFacts({ of: model }: { readonly of: Model }) {
  const { t } = useTranslation();
  return (
    <Facts>
      <FactRow name={t("models.columns.owner")}>{model.owned_by}</FactRow>
      <FactRow name={t("models.modalities")}>
        <Modalities of={model.input_modalities} />
      </FactRow>
      <FactRow name={t("models.gives")}>
        <Modalities of={model.output_modalities} />
      </FactRow>
      <FactRow name={t("models.columns.released")}>
        <Time at={model.created_at} as="date" />
      </FactRow>
      {model.reasoning !== undefined && (
        <FactRow name={t("models.flags.reasoning")}>{model.reasoning.efforts.join(", ") || t("models.always")}</FactRow>
      )}
      {model.context_tokens !== undefined && (
        <FactRow name={t("models.columns.context")}>{t("models.tokens", { count: model.context_tokens })}</FactRow>
      )}
      {model.max_output_tokens !== undefined && (
        <FactRow name={t("models.maxOutput")}>{t("models.tokens", { count: model.max_output_tokens })}</FactRow>
      )}
      <FactRow name={t("models.endpoints")}>{model.operations.join(", ")}</FactRow>
    </Facts>
  );
}

/** All that is known of a model, and what a request to it would cost. */
export function ModelDrawer({ of: model, onClose }: { readonly of: Model | undefined; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const canTry = model !== undefined && isChatModel(model);
  return (
    <Drawer opened={model !== undefined} onClose={onClose} position="right" size="md" title={model?.display_name}>
      {model !== undefined && (
        <Stack gap="lg">
          <Group gap="xs">
            <Text ff="monospace" size="sm">
              {model.id}
            </Text>
            <Copy value={model.id} />
            {canTry && (
              <ButtonLink
                to="/playground"
                search={{ models: model.id }}
                size="xs"
                variant="default"
                ml="auto"
                leftSection={<IconPlayerPlay size={14} />}
              >
                {t("models.tryIt")}
              </ButtonLink>
            )}
          </Group>
          <ModelFacts of={model} />
          <div>
            <Text fw={600} size="sm" mb={4}>
              {t("models.prices")}
            </Text>
            <Prices of={model} />
          </div>
          <div>
            <Text fw={600} size="sm" mb={4}>
              {t("models.providers.title")}
            </Text>
            <ModelProviders id={model.id} />
          </div>
          <Calculator key={model.id} of={model} />
        </Stack>
      )}
    </Drawer>
  );
}
