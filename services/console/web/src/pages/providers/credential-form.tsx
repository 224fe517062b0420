import { Button, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { Panel } from "../../ui/panel.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { noShare, shareBody } from "./credential-share.ts";
import { providerPath } from "./providers.ts";
import { ShareFields } from "./share-fields.tsx";
import { useChange } from "./use-change.ts";

/** Adds an API key, or the variable that has it, with its share of the calls and caps, and with another base URL if there is one. */
export function CredentialForm({ of: provider }: { readonly of: Provider }) {
  const { t } = useTranslation();
  const [apiKey, setApiKey] = useState("");
  const [variable, setVariable] = useState("");
  const [name, setName] = useState("");
  const [baseUrl, setBaseUrl] = useState(provider.base_url);
  const [share, setShare] = useState(noShare);
  const [showsMore, showMore] = useState(false);
  const add = useChange(() => {
    setApiKey("");
    setVariable("");
    setName("");
    setShare(noShare);
    showMore(false);
  });
  const moved = baseUrl.trim() !== provider.base_url;
  const submit = (): void =>
    add.mutate({
      path: providerPath(provider.id, "credentials"),
      method: "POST",
      body: {
        ...(apiKey.trim() === "" ? { variable: variable.trim() } : { api_key: apiKey.trim() }),
        ...(name.trim() !== "" && { name: name.trim() }),
        ...(showsMore && shareBody(share)),
        ...(moved && { base_url: baseUrl.trim(), revision: provider.revision }),
      },
      done: t("providers.added", { provider: provider.id }),
    });
  return (
    <Panel title={t("providers.addTitle")}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="sm">
          <PasswordInput
            label={t("providers.apiKey")}
            description={t("providers.apiKeyAbout")}
            value={apiKey}
            onChange={({ currentTarget }) => setApiKey(currentTarget.value)}
            autoComplete="off"
            disabled={variable.trim() !== ""}
          />
          <TextInput
            label={t("providers.variable")}
            description={t("providers.variableAbout")}
            placeholder="PROVIDER_SECRET_AWS"
            value={variable}
            onChange={({ currentTarget }) => setVariable(currentTarget.value)}
            disabled={apiKey.trim() !== ""}
          />
          <TextInput
            label={t("providers.name")}
            placeholder={t("providers.namePlaceholder")}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <TextInput
            label={t("providers.baseUrl")}
            description={t("providers.baseUrlAbout")}
            value={baseUrl}
            onChange={({ currentTarget }) => setBaseUrl(currentTarget.value)}
          />
          {showsMore ? (
            <ShareFields values={share} onChange={(change) => setShare((before) => ({ ...before, ...change }))} />
          ) : (
            <Button variant="subtle" size="compact-sm" style={{ alignSelf: "start" }} onClick={() => showMore(true)}>
              {t("providers.share.open")}
            </Button>
          )}
          <Actions of={add} disabled={apiKey.trim() === "" && variable.trim() === ""}>
            {t("providers.add")}
          </Actions>
        </Stack>
      </form>
    </Panel>
  );
}
