import { Box, Group, Loader, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { duration, integer } from "../../format/number.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Bill } from "./bill.tsx";
import type { ModelResponse, ToolCall, Turn } from "./conversation.ts";
import { Thumbnails } from "./pictures.tsx";

function Figures({ of: response }: { readonly of: ModelResponse }) {
  const { t } = useTranslation();
  const { tookMs, firstMs, usage, requestId, state } = response;
  if (tookMs === null) return null;
  return (
    <Group gap="xs" fz="xs" c="dimmed" className="tabular">
      {state === "stopped" && <span>{t("playground.stopped")}</span>}
      <span>{duration(tookMs)}</span>
      {firstMs !== null && <span>{t("playground.firstAfter", { time: duration(firstMs) })}</span>}
      {usage !== null && (
        <span>{t("playground.tokens", { input: integer(usage.input), output: integer(usage.output) })}</span>
      )}
      {state !== "failed" && <Bill requestId={requestId} />}
    </Group>
  );
}

/** A tool call in a program's notation; incomplete arguments are shown as received. */
function callText({ name, arguments: text }: ToolCall): string {
  try {
    return `${name}(${JSON.stringify(JSON.parse(text), null, 2)})`;
  } catch {
    return `${name}(${text}`;
  }
}

function ToolCalls({ of: calls }: { readonly of: readonly ToolCall[] }) {
  const { t } = useTranslation();
  return calls.map((call, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: calls are distinguished by position
    <CodeBlock key={index} text={callText(call)} label={t("playground.toolCall", { name: call.name })} />
  ));
}

const Markdown = lazy(async () => ({ default: (await import("./markdown.tsx")).Markdown }));

function Candidate({ text, isBusy }: { readonly text: string; readonly isBusy: boolean }) {
  const plain = (
    <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
      {text}
    </Text>
  );
  return (
    <div aria-busy={isBusy}>
      <Suspense fallback={plain}>
        <Markdown text={text} />
      </Suspense>
    </div>
  );
}

/** The text of each candidate, with a number if there are several. */
function Candidates({ of: { texts, state } }: { readonly of: ModelResponse }) {
  const { t } = useTranslation();
  return texts.map((text, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: candidates are distinguished by position
    <Box key={index}>
      {texts.length > 1 && (
        <Text size="xs" c="dimmed" mb={4}>
          {t("playground.candidate", { number: index + 1 })}
        </Text>
      )}
      <Candidate text={text} isBusy={state === "streaming"} />
    </Box>
  ));
}

function ResponseCard({ model, of: response }: { readonly model: string; readonly of: ModelResponse }) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="sm" bg="var(--app-backdrop)">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" mih={28}>
          <Text size="xs" fw={600}>
            {model}
          </Text>
          {response.tookMs !== null && response.texts.length > 0 && (
            <Copy value={response.texts.join("\n\n")} label={t("playground.copy", { model })} />
          )}
        </Group>
        {response.state === "waiting" && (
          <Group gap="xs">
            <Loader size="xs" type="dots" />
            <Text size="sm" c="dimmed">
              {t("playground.waiting")}
            </Text>
          </Group>
        )}
        <Candidates of={response} />
        <ToolCalls of={response.toolCalls} />
        {response.error !== null && <Failure error={response.error} />}
        <Figures of={response} />
      </Stack>
    </Paper>
  );
}

/** A message, and the responses side by side. */
export function ChatTurn({ of: { message, responses } }: { readonly of: Turn }) {
  const count = Object.keys(responses).length;
  return (
    <Stack gap="sm">
      <Box ml="auto" maw="80%">
        <Paper p="sm" bg="var(--mantine-primary-color-light)">
          <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {message.text}
          </Text>
          {message.images.length > 0 && (
            <Box mt="xs">
              <Thumbnails urls={message.images} />
            </Box>
          )}
        </Paper>
      </Box>
      <SimpleGrid cols={{ base: 1, md: Math.min(2, count), xl: count > 2 ? count : Math.min(2, count) }}>
        {Object.entries(responses).map(([model, response]) => (
          <ResponseCard key={model} model={model} of={response} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
