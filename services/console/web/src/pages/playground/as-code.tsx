import { Button, Modal, Tabs, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCode } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../session/use-session.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { type CodeOf, codeOf } from "./code.ts";
import { picturesInFiles } from "./code-pictures.ts";

function Programs({ of: call }: { readonly of: CodeOf }) {
  const { t } = useTranslation();
  const programs = Object.entries(codeOf(call));
  const { files } = picturesInFiles(call.body);
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {t("playground.codeAbout")}{" "}
        {files.length > 0 && t("playground.code_pictures", { count: files.length, files: files.join(", ") })}
      </Text>
      <Tabs defaultValue="curl" variant="outline">
        <Tabs.List>
          {programs.map(([name]) => (
            <Tabs.Tab key={name} value={name} fz="xs">
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {programs.map(([name, text]) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <CodeBlock text={text} label={name} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

/** Shows the call that would be made now as curl, JavaScript and Python. */
export function AsCode(call: Omit<CodeOf, "baseUrl">) {
  const { t } = useTranslation();
  const { base_url: baseUrl } = useSession();
  const [opened, modal] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconCode size={16} />}
        onClick={modal.open}
        disabled={call.body.model === undefined}
      >
        {t("playground.code")}
      </Button>
      <Modal opened={opened} onClose={modal.close} size="lg" title={t("playground.code")}>
        <Programs of={{ baseUrl, ...call }} />
      </Modal>
    </>
  );
}
