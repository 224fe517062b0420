import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../api/error.ts";

interface Props {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
}

/** Scrolls a failure into view: in a long form it may be outside. */
const showSelf = (element: HTMLElement | null): void => element?.scrollIntoView({ block: "nearest" });

/** What went wrong, by what it is found in the logs, and a way on. */
export function Failure({ error, onRetry }: Props) {
  const { t } = useTranslation();
  const isOffline = error instanceof TypeError;
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert
      ref={showSelf}
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title={t("failure.title")}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{isOffline ? t("failure.offline") : error.message}</Text>
        <Group gap="sm">
          {onRetry !== undefined && (
            <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} onClick={onRetry}>
              {t("failure.retry")}
            </Button>
          )}
          {requestId !== null && (
            <Text size="xs" c="dimmed">
              {t("failure.requestId")} <Code>{requestId}</Code>
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
