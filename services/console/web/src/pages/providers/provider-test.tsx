import { Alert, Button, Group, Select, Stack, Table, Text } from "@mantine/core";
import { IconCheck, IconMinus, IconX } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/http.ts";
import type { Provider, ProviderTest as Test } from "../../api/types.ts";
import { Failure } from "../../ui/failure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { hintOf, providerPath } from "./providers.ts";

type Step = Test["steps"][number];

const marks = {
  passed: { icon: IconCheck, color: "teal" },
  failed: { icon: IconX, color: "red" },
  skipped: { icon: IconMinus, color: "dimmed" },
} as const;

/** The provider's status and code, and the id that its support asks for. */
function detailsOf({ status, code, request_id: requestId, duration_ms: ms }: Step): string {
  const parts = [status && `HTTP ${status}`, code, requestId, ms !== null && `${ms} ms`];
  return parts.filter(Boolean).join(" · ");
}

function StepRow({ of: step }: { readonly of: Step }) {
  const { t } = useTranslation();
  const { icon: Icon, color } = marks[step.state];
  const details = detailsOf(step);
  return (
    <Table.Tr>
      <Table.Td w={32} style={{ verticalAlign: "top" }}>
        <Text c={color} span aria-label={t(`providers.test.states.${step.state}`)} role="img">
          <Icon size={16} />
        </Text>
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <Text size="sm">{t(`providers.test.steps.${step.step}`)}</Text>
        {step.reason !== null && step.reason !== "earlier_step" && (
          <Text size="sm" c={step.state === "failed" ? "red" : "dimmed"}>
            {t(`providers.test.reasons.${step.reason}`)}
          </Text>
        )}
        {step.message !== null && (
          <Text size="xs" c="dimmed">
            {step.message}
          </Text>
        )}
        {details !== "" && (
          <Text size="xs" c="dimmed" className="tabular">
            {details}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Outcome({ of: test }: { readonly of: Test }) {
  const { t } = useTranslation();
  const { passed, simulated, call: made } = test;
  return (
    <Stack gap="xs" role="status">
      <Alert color={passed ? "teal" : "red"}>{t(passed ? "providers.test.passed" : "providers.test.failed")}</Alert>
      {simulated && <Alert color="gray">{t("providers.test.simulated")}</Alert>}
      <Table fz="sm" horizontalSpacing={0}>
        <Table.Tbody>
          {test.steps.map((step) => (
            <StepRow key={step.step} of={step} />
          ))}
        </Table.Tbody>
      </Table>
      {made !== null && (
        <Text size="xs" c="dimmed">
          {t(made.estimated ? "providers.test.costAtMost" : "providers.test.cost", {
            model: made.model,
            usd: made.cost_usd,
          })}
        </Text>
      )}
    </Stack>
  );
}

interface Props {
  readonly of: Provider;
  /** It was just added: it is tested without a click. */
  readonly atOnce: boolean;
}

/** Tests a provider with one of its keys, and shows each step. */
export function ProviderTest({ of: provider, atOnce }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [credential, setCredential] = useState("");
  const test = useMutation({
    mutationFn: () =>
      call<Test>(providerPath(provider.id, "test"), {
        method: "POST",
        body: credential === "" ? {} : { credential_id: credential },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["audit"] }),
  });
  const { mutate } = test;
  const started = useRef(false);
  useEffect(() => {
    if (!atOnce || started.current) return;
    started.current = true;
    mutate();
  }, [atOnce, mutate]);
  return (
    <Panel title={t("providers.test.title")}>
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {t("providers.test.about")}
        </Text>
        <Group align="flex-end" justify="space-between">
          {provider.credentials.length > 1 ? (
            <Select
              label={t("providers.test.key")}
              data={[
                { value: "", label: t("providers.test.keyInUse") },
                ...provider.credentials.toReversed().map((each) => ({ value: each.id, label: hintOf(each) })),
              ]}
              value={credential}
              onChange={(id) => setCredential(id ?? "")}
              allowDeselect={false}
            />
          ) : (
            <span />
          )}
          <Button variant="light" loading={test.isPending} onClick={() => mutate()}>
            {t("providers.test.run")}
          </Button>
        </Group>
        {test.error !== null && <Failure error={test.error} />}
        {test.data !== undefined && !test.isPending && <Outcome of={test.data} />}
      </Stack>
    </Panel>
  );
}
