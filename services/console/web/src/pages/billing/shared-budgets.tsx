import { ActionIcon, Badge, Box, Button, Group, Menu, Progress, Skeleton, Stack, Text } from "@mantine/core";
import { IconDots, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { rowsAtOnce } from "../../api/paged.ts";
import type { SharedBudget } from "../../api/types.ts";
import { nanoUsdOf, shortUsd } from "../../format/money.ts";
import { useMayChange } from "../../session/use-session.ts";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Time } from "../../ui/time.tsx";
import { colorOfUse } from "../../ui/use-bar.tsx";
import { DeleteBudgetModal } from "./delete-budget-modal.tsx";
import { SharedBudgetModal } from "./shared-budget-modal.tsx";
import classes from "./shared-budgets.module.css";
import { type BudgetNode, sharedBudgetsQuery, sharesOf, treeOf } from "./shared-budgets.ts";

interface Changes {
  readonly onEdit: (budget: SharedBudget) => void;
  readonly onDelete: (budget: SharedBudget) => void;
}

interface RowProps {
  readonly of: SharedBudget;
  /** Undefined where the user may only read. */
  readonly changes: Changes | undefined;
}

function BudgetMenu({ of: budget, changes: { onEdit, onDelete } }: Required<RowProps> & { changes: Changes }) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t("billing.shared.actions", { name: budget.name })}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => onEdit(budget)}>
          {t("billing.shared.edit")}
        </Menu.Item>
        <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={() => onDelete(budget)}>
          {t("common.delete")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** What is spent and, paler, what is reserved. */
function Bar({ of: budget }: { readonly of: SharedBudget }) {
  const { t } = useTranslation();
  const { spent, reserved } = sharesOf(budget);
  const color = colorOfUse(spent + reserved);
  const shown = Math.min(100, spent);
  const label = t("billing.shared.bar", {
    name: budget.name,
    spent: shortUsd(nanoUsdOf(budget.spent_usd)),
    reserved: shortUsd(nanoUsdOf(budget.reserved_usd)),
    amount: shortUsd(nanoUsdOf(budget.max_budget.toFixed(9))),
  });
  return (
    // The whole bar has the role: a section of an unused budget has no width.
    <Progress.Root
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.min(100, Math.round(spent + reserved))}
    >
      <Progress.Section value={shown} color={color} withAria={false} />
      <Progress.Section value={Math.min(100 - shown, reserved)} color={color} opacity={0.4} withAria={false} />
    </Progress.Root>
  );
}

/** What it limits in addition to money. */
function limitsOf({ rpm_limit, tpm_limit, max_parallel_requests, models }: SharedBudget) {
  const all = [
    ["rpm", rpm_limit],
    ["tpm", tpm_limit],
    ["concurrency", max_parallel_requests],
    ["models", models.length],
  ] as const;
  return all.flatMap(([name, limit]): [typeof name, number][] => (limit ? [[name, Number(limit)]] : []));
}

function Row({ of: budget, changes }: RowProps) {
  const { t } = useTranslation();
  const endUserText = ({ max_budget: amount, period: each }: NonNullable<SharedBudget["end_users"]>): string =>
    t("billing.shared.endUsers.shown", {
      amount: shortUsd(nanoUsdOf(amount.toFixed(9))),
      per: t(`billing.shared.per.${each}`),
    });
  const { name, period, hard, spent_usd: spent, reserved_usd: reserved, max_budget, resets_at: resetsAt } = budget;
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs" style={{ flex: "1 1 12rem" }}>
          <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
            {name}
          </Text>
          <Badge size="sm" variant="light" color={hard ? "indigo" : "gray"} tt="none" fw={500}>
            {t(hard ? "billing.shared.hard" : "billing.shared.soft")}
          </Badge>
        </Group>
        <Group gap="xs" wrap="nowrap" ml="auto">
          <Text size="sm" c="dimmed" className={classes["figures"] ?? ""}>
            <Money usd={spent} /> / <Money usd={max_budget.toFixed(9)} /> {t(`billing.shared.per.${period}`)}
          </Text>
          {changes !== undefined && <BudgetMenu of={budget} changes={changes} />}
        </Group>
      </Group>
      <Bar of={budget} />
      <Text size="xs" c="dimmed" component="div">
        {resetsAt === null ? (
          t("billing.shared.neverResets")
        ) : (
          <>
            {t("keys.use.resets")} <Time at={resetsAt} as={period === "day" ? "time" : "date"} />
          </>
        )}
        {nanoUsdOf(reserved) > 0n && ` · ${t("keys.use.held", { amount: shortUsd(nanoUsdOf(reserved)) })}`}
        {limitsOf(budget).map(([limit, count]) => ` · ${t(`billing.shared.${limit}`, { count })}`)}
        {budget.end_users !== null && ` · ${endUserText(budget.end_users)}`}
      </Text>
    </Stack>
  );
}

interface LevelProps {
  readonly of: readonly BudgetNode[];
  readonly changes: Changes | undefined;
  /** Names the list of the whole tree. */
  readonly label?: string;
}

/** Budgets side by side, each with those below it. */
function Level({ of: nodes, changes, label }: LevelProps) {
  const [most, setMost] = useState(rowsAtOnce);
  return (
    <>
      <Box component="ul" className={classes["level"] ?? ""} {...(label !== undefined && { "aria-label": label })}>
        {nodes.slice(0, most).map(({ budget, below }) => (
          <li key={budget.id}>
            <Row of={budget} changes={changes} />
            {below.length > 0 && <Level of={below} changes={changes} />}
          </li>
        ))}
      </Box>
      <ShowMore
        hasNextPage={nodes.length > most}
        isFetchingNextPage={false}
        fetchNextPage={() => setMost(most + rowsAtOnce)}
      />
    </>
  );
}

/** Budgets that keys share, as a tree, with what is spent of each. */
export function SharedBudgets({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const mayChange = useMayChange("budgets");
  const { data: budgets, error, refetch } = useQuery(sharedBudgetsQuery(id));
  const [edited, edit] = useState<SharedBudget | null>();
  const [leaving, leave] = useState<SharedBudget>();
  const action = mayChange && (
    <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={() => edit(null)}>
      {t("billing.shared.new")}
    </Button>
  );
  const changes = mayChange ? { onEdit: edit, onDelete: leave } : undefined;
  return (
    <Panel title={t("billing.shared.title")} action={action}>
      <Text size="xs" c="dimmed" mb="sm">
        {t("billing.shared.about")}
      </Text>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && budgets === undefined && <Skeleton h={60} />}
      {budgets?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t("billing.shared.none")}
        </Text>
      )}
      {budgets !== undefined && budgets.length > 0 && (
        <Level of={treeOf(budgets)} changes={changes} label={t("billing.shared.title")} />
      )}
      <SharedBudgetModal account={id} budgets={budgets ?? []} budget={edited} onClose={() => edit(undefined)} />
      <DeleteBudgetModal budgets={budgets ?? []} budget={leaving} onClose={() => leave(undefined)} />
    </Panel>
  );
}
