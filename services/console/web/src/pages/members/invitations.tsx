import { Button, Skeleton, Table, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import { Budget } from "../../ui/budget.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { type Invitation, invitationBudgetQuery, invitationsQuery } from "./members.ts";

function Rows({
  of: invitations,
  onWithdraw,
}: {
  readonly of: readonly Invitation[];
  readonly onWithdraw: (id: string) => void;
}) {
  const { t } = useTranslation();
  if (invitations.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t("members.noInvitations")}
      </Text>
    );
  return (
    <Table fz="sm" horizontalSpacing={0}>
      <Table.Tbody>
        {invitations.map(({ id, email, role, expires_at }) => (
          <Table.Tr key={id}>
            <Table.Td>{email}</Table.Td>
            <Table.Td>{t(`roles.${role}`)}</Table.Td>
            <Table.Td>
              {t("members.expires")} <Time at={expires_at} as="relative" />
            </Table.Td>
            <Table.Td ta="right">
              <Button size="compact-xs" variant="subtle" color="red" onClick={() => onWithdraw(id)}>
                {t("members.withdraw")}
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** How many invitations the account's people have created in the last hour. */
function InvitationBudget() {
  const { t } = useTranslation();
  const { data } = useQuery(invitationBudgetQuery);
  if (data === undefined || data.per_hour === null || data.used === 0) return null;
  return <Budget name={t("members.budget")} perHour={data.per_hour} used={data.used} fullAt={data.full_at} />;
}

/** Open invitations. */
export function Invitations() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error, refetch } = useInfiniteQuery(invitationsQuery);
  const withdraw = useMutation({
    mutationFn: (id: string) => call(`/invitations/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["members"] }),
  });
  const failure = error ?? withdraw.error;
  return (
    <Panel title={t("members.invitations")}>
      {failure !== null && <Failure error={failure} onRetry={() => void refetch()} />}
      {data === undefined && failure === null && <Skeleton h={40} />}
      {data !== undefined && <Rows of={data} onWithdraw={withdraw.mutate} />}
      <InvitationBudget />
    </Panel>
  );
}
