import { Modal, Table } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Model } from "../../api/types.ts";
import { compact } from "../../format/number.ts";
import { modalityText, unitText } from "./names.ts";
import { priceText } from "./prices.ts";
import { Capabilities, ModelName } from "./use-model-columns.tsx";

interface Props {
  readonly of: readonly Model[];
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Row({
  name,
  of,
  cell,
}: {
  readonly name: string;
  readonly of: readonly Model[];
  readonly cell: (model: Model) => ReactNode;
}) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} c="dimmed">
        {name}
      </Table.Th>
      {of.map((model) => (
        <Table.Td key={model.id}>{cell(model)}</Table.Td>
      ))}
    </Table.Tr>
  );
}

const tokens = (count: number | undefined): string => (count === undefined ? "—" : compact(count));

/** Models side by side. */
export function CompareModal({ of: models, opened, onClose }: Props) {
  const { t } = useTranslation();
  const units = [...new Set(models.flatMap(({ price }) => Object.keys(price.usd)))];
  return (
    <Modal opened={opened} onClose={onClose} size="xl" title={t("models.compareTitle")}>
      <Table.ScrollContainer minWidth={480} type="native">
        <Table fz="sm" verticalSpacing="sm">
          <Table.Tbody>
            <Row name={t("models.columns.model")} of={models} cell={(model) => <ModelName of={model} />} />
            <Row name={t("models.columns.does")} of={models} cell={(model) => <Capabilities of={model} />} />
            <Row
              name={t("models.modalities")}
              of={models}
              cell={({ input_modalities: names }) => names.map(modalityText).join(t("common.comma"))}
            />
            <Row name={t("models.columns.context")} of={models} cell={(model) => tokens(model.context_tokens)} />
            <Row name={t("models.maxOutput")} of={models} cell={(model) => tokens(model.max_output_tokens)} />
            {units.map((unit) => (
              <Row
                key={unit}
                name={unitText(unit)}
                of={models}
                cell={({ price }) => (price.usd[unit] === undefined ? "—" : priceText(price.usd[unit]))}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Modal>
  );
}
