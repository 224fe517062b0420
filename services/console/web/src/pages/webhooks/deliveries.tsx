import { Group, Pill, SegmentedControl, Stack, Text } from "@mantine/core";
import { useHover } from "@mantine/hooks";
import { IconWebhook } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useLiveList } from "../../api/live-list.ts";
import type { WebhookDelivery } from "../../api/types.ts";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { PendingButton } from "../../ui/pending-button.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Time } from "../../ui/time.tsx";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { State } from "./state.tsx";

const route = getRouteApi("/app/webhooks");
const idOf = ({ id }: WebhookDelivery): string => id;
const column = columnsOf<WebhookDelivery>();
function useColumns(): Columns<WebhookDelivery> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      column.display({
        id: "at",
        header: t("webhooks.columns.at"),
        cell: ({ row }) => <Time at={row.original.created_at} />,
        meta: { from: "sm" },
      }),
      column.display({
        id: "type",
        header: t("webhooks.columns.type"),
        cell: ({ row: { original } }) => (
          <Stack gap={0}>
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              {original.type}
            </Text>
            <Text size="xs" c="dimmed" hiddenFrom="sm">
              <Time at={original.created_at} />
            </Text>
          </Stack>
        ),
      }),
      column.accessor("url", { id: "url", header: t("webhooks.columns.url"), meta: { from: "md" } }),
      column.display({
        id: "state",
        header: t("webhooks.columns.state"),
        cell: ({ row }) => <State of={row.original.state} />,
      }),
      column.accessor((delivery) => delivery.attempts.length, {
        id: "attempts",
        header: t("webhooks.columns.attempts"),
        meta: { align: "right", from: "sm" },
      }),
    ],
    [t],
  );
}

/** What was sent for an account, and how it went. */
export function Deliveries({ account }: { readonly account: string }) {
  const { t } = useTranslation();
  const { state = "", alert = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/webhooks" });
  const { hovered, ref } = useHover();
  const found = useLiveList<WebhookDelivery>({
    name: "deliveries",
    path: "/webhooks/deliveries",
    query: { account, state, alert },
    idOf,
    isHeld: hovered,
  });
  const columns = useColumns();
  const filter = (
    <Group gap="xs">
      <PendingButton of={found.pending} onClick={found.showPending} />
      {alert !== "" && (
        <Pill
          withRemoveButton
          removeButtonProps={{ "aria-label": t("webhooks.ofAll") }}
          onRemove={() => void navigate({ search: (before) => ({ ...before, alert: undefined }), replace: true })}
        >
          {t("webhooks.ofAlert")}
        </Pill>
      )}
      <SegmentedControl
        size="xs"
        aria-label={t("webhooks.state")}
        value={state}
        onChange={(value) =>
          void navigate({ search: (before) => ({ ...before, state: value || undefined }), replace: true })
        }
        data={[
          { value: "", label: t("common.all") },
          ...(["pending", "delivered", "failed"] as const).map((value) => ({
            value,
            label: t(`webhooks.states.${value}`),
          })),
        ]}
      />
    </Group>
  );
  return (
    <Panel title={t("webhooks.deliveries")} action={filter}>
      {found.error !== null ? (
        <Failure error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <div ref={ref}>
          <DataTable
            label={t("webhooks.deliveries")}
            columns={columns}
            rows={found.data}
            rowId={idOf}
            onOpen={({ id }) => void navigate({ search: (before) => ({ ...before, delivery: id }) })}
            empty={<Empty icon={IconWebhook} title={t("webhooks.empty")} hint={t("webhooks.emptyHint")} />}
          />
          <ShowMore {...found} />
        </div>
      )}
      <DeliveryDrawer />
    </Panel>
  );
}
