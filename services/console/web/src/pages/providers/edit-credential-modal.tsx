import { Modal, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "../../api/types.ts";
import { Actions } from "../../ui/actions.tsx";
import { shareBody, shareOf } from "./credential-share.ts";
import { type Credential, hintOf, providerPath } from "./providers.ts";
import { ShareFields } from "./share-fields.tsx";
import { useChange } from "./use-change.ts";

interface FormProps {
  readonly provider: Provider;
  readonly of: Credential;
  readonly onClose: () => void;
}

function EditCredentialForm({ provider, of: credential, onClose }: FormProps) {
  const { t } = useTranslation();
  const [values, setValues] = useState(() => shareOf(credential));
  const save = useChange(onClose);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({
          path: providerPath(provider.id, "credentials", credential.id),
          method: "PATCH",
          body: { revision: credential.revision, ...shareBody(values) },
          done: t("common.saved"),
        });
      }}
    >
      <Stack gap="md">
        <ShareFields values={values} onChange={(change) => setValues((before) => ({ ...before, ...change }))} />
        <Actions of={save} onCancel={onClose}>
          {t("common.save")}
        </Actions>
      </Stack>
    </form>
  );
}

interface Props extends Omit<FormProps, "of"> {
  readonly of: Credential | undefined;
}

/** Changes how a credential shares the calls, and what it may spend. */
export function EditCredentialModal({ of: credential, ...props }: Props) {
  const { t } = useTranslation();
  const hint = credential === undefined ? "" : hintOf(credential);
  return (
    <Modal opened={credential !== undefined} onClose={props.onClose} title={t("providers.share.title", { hint })}>
      {credential !== undefined && <EditCredentialForm key={credential.id} of={credential} {...props} />}
    </Modal>
  );
}
