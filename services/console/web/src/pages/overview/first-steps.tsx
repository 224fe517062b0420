import { List } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useModels } from "../../api/models.ts";
import { curlOf } from "../../format/curl.ts";
import { useSession } from "../../session/use-session.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Panel } from "../../ui/panel.tsx";

const helloTo = (model: string): string => `{"model": "${model}", "messages": [{"role": "user", "content": "Hello!"}]}`;

/** From nothing to the first receipt. */
export function FirstSteps() {
  const { t } = useTranslation();
  const { base_url: baseUrl } = useSession();
  const model = useModels().data?.find(({ operations }) => operations.includes("chat.completions"))?.id;
  return (
    <Panel title={t("overview.steps.title")}>
      <List type="ordered" size="sm" spacing="xs" mb="sm">
        <List.Item>
          <TextLink to="/keys" size="sm">
            {t("overview.steps.key")}
          </TextLink>
        </List.Item>
        <List.Item>{t("overview.steps.call")}</List.Item>
        <List.Item>
          <TextLink to="/usage" size="sm">
            {t("overview.steps.receipt")}
          </TextLink>
        </List.Item>
      </List>
      {model !== undefined && (
        <CodeBlock
          text={curlOf({ url: `${baseUrl}/v1/chat/completions`, body: helloTo(model) })}
          label={t("overview.steps.curl")}
        />
      )}
    </Panel>
  );
}
