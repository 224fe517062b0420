import { Button, Skeleton, Table, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { type Invitation, invitationsQuery } from "./members.ts";

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

/** Links that nobody has used yet. */
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
    </Panel>
  );
}
