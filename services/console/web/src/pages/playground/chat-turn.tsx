import { Box, Group, Loader, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { duration, integer } from "../../format/number.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Bill } from "./bill.tsx";
import type { Answer, ToolCall, Turn } from "./conversation.ts";
import { Thumbnails } from "./pictures.tsx";

function Figures({ of: answer }: { readonly of: Answer }) {
  const { t } = useTranslation();
  const { tookMs, firstMs, usage, requestId, state } = answer;
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

/** A call as a program would write it; what is not whole yet is shown as it came. */
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
    // biome-ignore lint/suspicious/noArrayIndexKey: calls are told apart by their place
    <CodeBlock key={index} text={callText(call)} label={t("playground.toolCall", { name: call.name })} />
  ));
}

function AnswerCard({ model, of: answer }: { readonly model: string; readonly of: Answer }) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="sm" bg="var(--app-backdrop)">
      <Stack gap="xs">
        <Text size="xs" fw={600}>
          {model}
        </Text>
        {answer.state === "waiting" && (
          <Group gap="xs">
            <Loader size="xs" type="dots" />
            <Text size="sm" c="dimmed">
              {t("playground.waiting")}
            </Text>
          </Group>
        )}
        {answer.text !== "" && (
          <Text
            size="sm"
            style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
            aria-busy={answer.state === "streaming"}
          >
            {answer.text}
          </Text>
        )}
        <ToolCalls of={answer.toolCalls} />
        {answer.error !== null && <Failure error={answer.error} />}
        <Figures of={answer} />
      </Stack>
    </Paper>
  );
}

/** What was said, and the answers side by side. */
export function ChatTurn({ of: { said, answers } }: { readonly of: Turn }) {
  const count = Object.keys(answers).length;
  return (
    <Stack gap="sm">
      <Box ml="auto" maw="80%">
        <Paper p="sm" bg="var(--mantine-primary-color-light)">
          <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {said.text}
          </Text>
          {said.images.length > 0 && (
            <Box mt="xs">
              <Thumbnails urls={said.images} />
            </Box>
          )}
        </Paper>
      </Box>
      <SimpleGrid cols={{ base: 1, md: Math.min(2, count), xl: count > 2 ? count : Math.min(2, count) }}>
        {Object.entries(answers).map(([model, answer]) => (
          <AnswerCard key={model} model={model} of={answer} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
