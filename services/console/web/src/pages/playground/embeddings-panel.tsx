import { Progress, Stack, Text, Textarea } from "@mantine/core";
import { IconVector } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccountId } from "../../shell/account.ts";
import { Empty } from "../../ui/empty.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Failure } from "../../ui/failure.tsx";
import { AsCode } from "./as-code.tsx";
import { Bill } from "./bill.tsx";
import { ask, receiptIdOf } from "./gateway.ts";
import { RunRow } from "./run-row.tsx";
import { ModelSelect, useModelOf, Workbench } from "./workbench.tsx";

interface Embeddings {
  readonly data: readonly { readonly embedding: readonly number[] }[];
}

/** The cosine of the angle between two vectors. */
function similarity(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0);
  const lengths = Math.sqrt(dot(one, one) * dot(other, other));
  return lengths === 0 ? 0 : dot(one, other) / lengths;
}

async function compare(body: object, account: string | undefined) {
  const response = await ask({ path: "/v1/embeddings", body, account });
  const { data } = (await response.json()) as Embeddings;
  const [one = [], other = []] = data.map(({ embedding }) => embedding);
  return {
    similarity: similarity(one, other),
    dimensions: one.length,
    requestId: receiptIdOf(response),
  };
}

/** How near two texts are in meaning. */
export function EmbeddingsPanel() {
  const { t } = useTranslation();
  const account = useAccountId();
  const { models, model, choose } = useModelOf("embeddings");
  const [texts, setTexts] = useState(["", ""] as [string, string]);
  const body = { model: model?.id, input: texts };
  const run = useMutation({ mutationFn: () => compare(body, account) });
  const form = (
    <>
      <ModelSelect models={models} model={model} choose={choose} />
      <Textarea
        label={t("playground.first")}
        autosize
        minRows={3}
        value={texts[0]}
        onChange={(event) => setTexts([event.currentTarget.value, texts[1]])}
      />
      <Textarea
        label={t("playground.second")}
        autosize
        minRows={3}
        value={texts[1]}
        onChange={(event) => setTexts([texts[0], event.currentTarget.value])}
      />
      <RunRow
        code={<AsCode path="/v1/embeddings" body={body} />}
        run={run}
        ready={!texts.includes("") && model !== undefined}
      >
        {t("playground.compare")}
      </RunRow>
    </>
  );
  const result = (
    <Stack>
      {run.error !== null && <Failure error={run.error} />}
      {run.data === undefined && run.error === null && (
        <Empty icon={IconVector} title={t("playground.modes.embeddings")} hint={t("playground.about")} />
      )}
      {run.data !== undefined && (
        <>
          <Fact name={t("playground.similarity")} hint={t("playground.similarityHint", { count: run.data.dimensions })}>
            {run.data.similarity.toFixed(4)}
          </Fact>
          <Progress value={Math.max(0, run.data.similarity) * 100} size="lg" aria-label={t("playground.similarity")} />
          <Text size="xs" c="dimmed">
            <Bill requestId={run.data.requestId} />
          </Text>
        </>
      )}
    </Stack>
  );
  return <Workbench form={form} result={result} />;
}
