import { Box, Button, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { EnvelopeWithCosts } from "../../api/types.ts";
import { nanoUsdOf, shortUsd } from "../../format/money.ts";
import { useMayChange } from "../../session/use-session.ts";
import { Copy } from "../../ui/copy.tsx";
import { FactRow, Facts } from "../../ui/facts.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Money } from "../../ui/money.tsx";
import { KeyLink } from "../../ui/names.tsx";
import { Time } from "../../ui/time.tsx";
import { UseBar } from "../../ui/use-bar.tsx";
import { CloseEnvelopeModal } from "./close-envelope-modal.tsx";
import { EnvelopeStatus } from "./envelope-status.tsx";
import { envelopeQuery } from "./envelopes.ts";
import { RunCosts } from "./run-costs.tsx";

const route = getRouteApi("/app/billing");

interface Props {
  readonly of: EnvelopeWithCosts;
}

function Use({ of: { spent_usd, reserved_usd, max_usd } }: Props) {
  const { t } = useTranslation();
  const [spent, reserved, amount] = [spent_usd, reserved_usd, max_usd].map(nanoUsdOf) as [bigint, bigint, bigint];
  return (
    <UseBar
      name={t("envelopes.use")}
      figures={t("envelopes.used", { spent: shortUsd(spent), amount: shortUsd(amount) })}
      percent={(Number(spent) / Number(amount)) * 100}
      {...(reserved > 0n && { hint: t("envelopes.reserved", { amount: shortUsd(reserved) }) })}
    />
  );
}

/** When it ends, or when it was closed or expired. */
function EndRow({ of: { status, expires_at, closed_at } }: Props) {
  const { t } = useTranslation();
  const name = status === "open" ? t("envelopes.columns.ends") : t(`envelopes.status.${status}`);
  return (
    <FactRow name={name}>
      <Time at={closed_at ?? expires_at} />
    </FactRow>
  );
}

function EnvelopeFacts({ of: envelope }: Props) {
  const { t } = useTranslation();
  const { id, key_id: keyId, root_key_id: rootKeyId, parent, models } = envelope;
  return (
    <Facts>
      <FactRow name={t("envelopes.details.id")}>
        <Group gap={4} wrap="nowrap">
          <Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {id}
          </Text>
          <Copy value={id} />
        </Group>
      </FactRow>
      {parent !== null && (
        <FactRow name={t("envelopes.details.above")}>
          <TextLink to="/billing" search={(before) => ({ ...before, envelope: parent })} resetScroll={false} size="sm">
            {parent}
          </TextLink>
        </FactRow>
      )}
      <FactRow name={t("envelopes.columns.root")}>
        <KeyLink id={rootKeyId} />
      </FactRow>
      <FactRow name={t("envelopes.details.key")}>
        <KeyLink id={keyId} />
      </FactRow>
      <FactRow name={t("envelopes.columns.remaining")}>
        <Money usd={envelope.remaining_usd} />
      </FactRow>
      <FactRow name={t("envelopes.details.models")}>{models.join(", ") || t("keys.allModels")}</FactRow>
      <FactRow name={t("envelopes.details.opened")}>
        <Time at={envelope.created_at} />
      </FactRow>
      <EndRow of={envelope} />
    </Facts>
  );
}

function Details({ of: envelope }: Props) {
  const { t } = useTranslation();
  const mayClose = useMayChange("envelopes") && envelope.status === "open";
  const [closing, close] = useDisclosure(false);
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <EnvelopeStatus of={envelope.status} />
        {mayClose && (
          <Button size="xs" variant="light" color="red" leftSection={<IconLock size={14} />} onClick={close.open}>
            {t("envelopes.close.button")}
          </Button>
        )}
      </Group>
      <Use of={envelope} />
      <EnvelopeFacts of={envelope} />
      <Box>
        <Title order={3} size="h4">
          {t("envelopes.costs.title")}
        </Title>
        <Text size="xs" c="dimmed" mb="xs">
          {t("envelopes.costs.about")}
        </Text>
        <RunCosts of={envelope} />
      </Box>
      <CloseEnvelopeModal of={envelope} opened={closing} onClose={close.close} />
    </Stack>
  );
}

/** The envelope that the address names, and what its run cost. */
export function EnvelopeDrawer() {
  const { t } = useTranslation();
  const { envelope: id } = route.useSearch();
  const navigate = useNavigate({ from: "/billing" });
  const query = useQuery(envelopeQuery(id));
  const close = (): void =>
    void navigate({ search: (before) => ({ ...before, envelope: undefined }), resetScroll: false });
  return (
    <Drawer
      opened={id !== undefined}
      onClose={close}
      position="right"
      size="md"
      title={query.data?.name || t("envelopes.unnamed")}
    >
      <Loaded query={query} height={240}>
        {(data) => <Details of={data} />}
      </Loaded>
    </Drawer>
  );
}
