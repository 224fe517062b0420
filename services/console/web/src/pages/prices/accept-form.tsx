import { Alert, Checkbox, List, Radio, Stack, Table, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import { Actions } from "../../ui/actions.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { lastMonth, type Option, percentText, priceText, type Reviewed } from "./prices.ts";

/** The option's name in the form: a table's, or that of both. */
const nameOf = ({ from }: Option): string => from ?? "both";

/** Every price that the option changes, and what last month would have cost. */
function Changes({ of: option }: { readonly of: Option }) {
  const { t } = useTranslation();
  const month = lastMonth(option);
  return (
    <Stack gap="xs">
      <Table>
        <Table.Tbody>
          {option.changes.map(({ price, before_usd, after_usd, change_percent }) => (
            <Table.Tr key={price}>
              <Table.Td>{price}</Table.Td>
              <Table.Td ta="right">
                {priceText(before_usd)} → {priceText(after_usd)}
              </Table.Td>
              <Table.Td ta="right">{percentText(change_percent)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {month !== undefined && (
        <Text size="sm" c="dimmed">
          {t("prices.columns.lastMonth")}: <Money usd={month.before} /> · {t("prices.columns.after")}:{" "}
          <Money usd={month.after} />
        </Text>
      )}
    </Stack>
  );
}

function useAccept({ model, price_version }: Reviewed, onDone: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ from, confirm }: { readonly from: string | null; readonly confirm: boolean }) =>
      call("/admin/v1/prices", {
        method: "POST",
        body: { model, price_version, ...(from !== null && { from }), ...(confirm && { confirm }) },
      }),
    onSuccess: async () => {
      notifications.show({ message: t("prices.accepted", { model }), color: "teal" });
      onDone();
      await client.invalidateQueries({ queryKey: ["prices"] });
    },
  });
}

/** The reasons for a second look, and the box that confirms it. */
function SecondLook({
  of: reasons,
  checked,
  onCheck,
}: {
  readonly of: readonly string[];
  readonly checked: boolean;
  readonly onCheck: (checked: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <Alert color="orange" title={t("prices.looks")} icon={<IconAlertTriangle size={18} />}>
      <List size="sm" mb="sm">
        {reasons.map((reason) => (
          <List.Item key={reason}>{reason}</List.Item>
        ))}
      </List>
      <Checkbox
        label={t("prices.confirm")}
        checked={checked}
        onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
      />
    </Alert>
  );
}

/** Chooses a change of a model's prices and accepts it, after a second look where it needs one. */
export function AcceptForm({ of: reviewed, onDone }: { readonly of: Reviewed; readonly onDone: () => void }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState(reviewed.options[0] && nameOf(reviewed.options[0]));
  const [checked, setChecked] = useState(false);
  const accept = useAccept(reviewed, onDone);
  const option = reviewed.options.find((each) => nameOf(each) === chosen);
  if (option === undefined) return <Text size="sm">{t("prices.noOption")}</Text>;
  const needsLook = option.second_looks.length > 0;
  return (
    <Panel title={t("prices.option")}>
      <Stack>
        <Radio.Group
          aria-label={t("prices.option")}
          value={chosen ?? ""}
          onChange={(name) => {
            setChosen(name);
            setChecked(false);
          }}
        >
          <Stack gap="xs">
            {reviewed.options.map((each) => (
              <Radio
                key={nameOf(each)}
                value={nameOf(each)}
                label={each.from === null ? t("prices.agreed") : t("prices.from", { table: each.from })}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Changes of={option} />
        {needsLook && <SecondLook of={option.second_looks} checked={checked} onCheck={setChecked} />}
        <Actions
          of={accept}
          disabled={needsLook && !checked}
          onClick={() => accept.mutate({ from: option.from, confirm: needsLook })}
        >
          {t("prices.accept")}
        </Actions>
      </Stack>
    </Panel>
  );
}
