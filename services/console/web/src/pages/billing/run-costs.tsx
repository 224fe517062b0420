import { Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { EnvelopeWithCosts } from "../../api/types.ts";
import { TextLink } from "../../ui/links.tsx";
import { Money } from "../../ui/money.tsx";
import { EnvelopeName, inset } from "./envelope-name.tsx";
import { inTree, type Placed } from "./envelopes.ts";
import classes from "./run-costs.module.css";

type Cost = EnvelopeWithCosts["costs"]["envelopes"][number];

interface RowsProps {
  readonly of: Placed<Cost>;
  /** When the run began. */
  readonly from: string;
}

/** An envelope, then the models that its own key used. */
function Rows({ of: placed, from }: RowsProps) {
  const { t } = useTranslation();
  const { key_id: keyId, models, total_usd: total } = placed.of;
  return (
    <Table.Tbody>
      <Table.Tr>
        <Table.Td>
          <EnvelopeName of={placed} />
        </Table.Td>
        <Table.Td ta="right">
          <Money usd={total} />
        </Table.Td>
      </Table.Tr>
      {models.map(({ model, requests, cost_usd: cost }) => (
        <Table.Tr key={model} fz="xs" c="dimmed">
          <Table.Td style={{ paddingInlineStart: inset(placed.depth), overflowWrap: "anywhere" }}>
            {model} ·{" "}
            <TextLink to="/usage" search={{ key: keyId, model, from }} size="xs" underline="always">
              {t("envelopes.costs.requests", { count: requests })}
            </TextLink>
          </Table.Td>
          <Table.Td ta="right">
            <Money usd={cost} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  );
}

/** What each envelope of a run cost, by model. */
export function RunCosts({ of: { created_at: from, costs } }: { readonly of: EnvelopeWithCosts }) {
  const { t } = useTranslation();
  return (
    <Table
      fz="sm"
      horizontalSpacing={0}
      verticalSpacing={3}
      withRowBorders={false}
      className={classes["costs"] ?? ""}
      aria-label={t("envelopes.costs.title")}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("envelopes.costs.columns.envelope")}</Table.Th>
          <Table.Th ta="right">{t("envelopes.costs.columns.cost")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      {inTree(costs.envelopes).map((placed) => (
        <Rows key={placed.of.id} of={placed} from={from} />
      ))}
    </Table>
  );
}
