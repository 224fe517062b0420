import { Box, Group, Loader, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { duration, integer } from "../../format/number.ts";
import { Failure } from "../../ui/failure.tsx";
import { Bill } from "./bill.tsx";
import type { Answer, Turn } from "./use-chat.ts";

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
        {answer.error !== null && <Failure error={answer.error} />}
        <Figures of={answer} />
      </Stack>
    </Paper>
  );
}

/** What was said, and the answers side by side. */
export function ChatTurn({ of: { message, answers } }: { readonly of: Turn }) {
  const count = Object.keys(answers).length;
  return (
    <Stack gap="sm">
      <Box ml="auto" maw="80%">
        <Paper p="sm" bg="var(--mantine-primary-color-light)">
          <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {message}
          </Text>
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
