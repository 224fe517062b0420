import { Alert, Button, Group, Modal, Stack, Tabs, Text, TextInput } from "@mantine/core";
import { IconShieldLock } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { NewKey } from "../../api/types.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Copy } from "../../ui/copy.tsx";
import classes from "../../ui/tabs.module.css";

/** What the snippets are for; the names of programs are the same in every language. */
const names: Readonly<Record<string, string>> = {
  curl: "curl",
  openai_javascript: "OpenAI · JavaScript",
  openai_python: "OpenAI · Python",
  anthropic_python: "Anthropic · Python",
  google_curl: "Gemini · curl",
  google_javascript: "Gemini · JavaScript",
  google_python: "Gemini · Python",
  claude_code: "Claude Code",
  codex: "Codex",
  gemini_cli: "Gemini CLI",
  mcp: "MCP",
};

function Snippets({ of: { snippets } }: { readonly of: NewKey }) {
  return (
    <Tabs defaultValue="curl" variant="outline">
      <Tabs.List className={classes["list"]}>
        {Object.keys(snippets).map((name) => (
          <Tabs.Tab key={name} value={name} fz="xs" className={classes["tab"]}>
            {names[name] ?? name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(snippets).map(([name, text]) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <CodeBlock text={text} label={names[name] ?? name} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** A key's secret, the one time that it can be seen. */
export function NewKeyModal({ made, onClose }: { readonly made: NewKey | undefined; readonly onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={made !== undefined}
      onClose={onClose}
      size="xl"
      title={t("keys.made.title")}
      closeOnClickOutside={false}
    >
      {made !== undefined && (
        <Stack gap="md">
          <Alert color="yellow" icon={<IconShieldLock size={18} />}>
            {t("keys.made.once")}
          </Alert>
          <TextInput
            label={t("keys.made.key")}
            value={made.key}
            readOnly
            data-autofocus
            onFocus={(event) => event.currentTarget.select()}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            rightSection={<Copy value={made.key} />}
          />
          <div>
            <Text size="sm" fw={500} mb="xs">
              {t("keys.made.use")}
            </Text>
            <Snippets of={made} />
          </div>
          <Group justify="flex-end">
            <Button onClick={onClose}>{t("keys.made.done")}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
