import { Alert, Badge, Button, Drawer, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "../../api/types.ts";
import { FactRow, Facts } from "../../ui/facts.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { CredentialForm } from "./credential-form.tsx";
import { Credentials } from "./credentials.tsx";
import { DeleteModal } from "./delete-modal.tsx";
import { ProviderModels } from "./provider-models.tsx";
import { ProviderTest } from "./provider-test.tsx";
import { providerPath } from "./providers.ts";
import { StateBadge } from "./state-badge.tsx";
import { useChange } from "./use-change.ts";

/** Where a provider is called, and whether it gets requests. */
function Settings({ of: provider, onDeleted }: { readonly of: Provider; readonly onDeleted: () => void }) {
  const { t } = useTranslation();
  const change = useChange();
  const [deleting, setDeleting] = useState(false);
  const { id, revision, enabled, source, base_url_changed: changed } = provider;
  const isOwn = source === "runtime";
  const moved = changed && !isOwn;
  const patch = (fields: object, done: string): void =>
    change.mutate({ path: providerPath(id), method: "PATCH", body: { revision, ...fields }, done });
  return (
    <Panel title={t("providers.settings")}>
      <Stack gap="sm">
        <Facts>
          <FactRow name={t("providers.columns.state")}>
            <StateBadge of={provider} />
          </FactRow>
          <FactRow name={t("providers.baseUrl")}>
            {provider.base_url}{" "}
            {moved && (
              <Badge variant="light" tt="none" fw={500}>
                {t("providers.changed")}
              </Badge>
            )}
          </FactRow>
          <FactRow name={t("providers.protocol")}>{provider.protocol}</FactRow>
          <FactRow name={t("providers.source")}>
            {t(provider.source === "runtime" ? "providers.addedHere" : "providers.inFile")}
          </FactRow>
        </Facts>
        {provider.state === "simulated" && <Alert color="gray">{t("providers.simulatedAbout")}</Alert>}
        {provider.reason !== null && <Alert color="red">{provider.reason}</Alert>}
        {change.error !== null && <Failure error={change.error} />}
        <Text size="xs" c="dimmed">
          {t("providers.disableAbout")}
        </Text>
        <Group justify="flex-end">
          {moved && (
            <Button variant="default" onClick={() => patch({ base_url: null }, t("common.saved"))}>
              {t("providers.resetBaseUrl")}
            </Button>
          )}
          <Button
            variant={enabled ? "light" : "filled"}
            color={enabled ? "red" : "teal"}
            loading={change.isPending}
            onClick={() =>
              patch({ enabled: !enabled }, t(enabled ? "providers.disabled" : "providers.enabled", { provider: id }))
            }
          >
            {t(enabled ? "providers.disable" : "providers.enable")}
          </Button>
          {isOwn && (
            <Button color="red" onClick={() => setDeleting(true)}>
              {t("common.delete")}
            </Button>
          )}
        </Group>
      </Stack>
      <DeleteModal
        opened={deleting}
        onClose={() => setDeleting(false)}
        title={t("providers.remove.title", { provider: id })}
        about={t("providers.remove.about")}
        path={providerPath(id)}
        done={t("providers.remove.done", { provider: id })}
        onDeleted={onDeleted}
      />
    </Panel>
  );
}

/** A provider: its keys, models and settings, and the forms that add keys and models. */
export function ProviderDrawer({
  of: provider,
  isNew,
  onClose,
}: {
  readonly of: Provider | undefined;
  /** It was just added. */
  readonly isNew: boolean;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Drawer opened={provider !== undefined} onClose={onClose} position="right" size="lg" title={provider?.id}>
      {provider?.state === "draining" && <Alert color="orange">{t("providers.drainingAbout")}</Alert>}
      {provider !== undefined && provider.state !== "draining" && (
        <Stack gap="lg">
          <CredentialForm key={`${provider.id} ${provider.base_url}`} of={provider} />
          <Credentials of={provider} />
          <ProviderTest key={`test ${provider.id}`} of={provider} atOnce={isNew} />
          <ProviderModels key={provider.id} of={provider} />
          <Settings of={provider} onDeleted={onClose} />
        </Stack>
      )}
    </Drawer>
  );
}
