import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useHover } from "@mantine/hooks";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useLiveList } from "../../api/live-list.ts";
import type { Envelope } from "../../api/types.ts";
import { curlOf } from "../../format/curl.ts";
import { useSession } from "../../session/use-session.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { type Columns, columnsOf, DataTable } from "../../ui/data-table.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Money } from "../../ui/money.tsx";
import { KeyLink } from "../../ui/names.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Time } from "../../ui/time.tsx";
import { EnvelopeDrawer } from "./envelope-drawer.tsx";
import { EnvelopeName } from "./envelope-name.tsx";
import { inTree, type Placed } from "./envelopes.ts";

const route = getRouteApi("/app/billing");
const states = ["open", "ended"] as const;
type State = (typeof states)[number];

const idOf = ({ id }: Envelope): string => id;
const column = columnsOf<Placed<Envelope>>();

/** When it ends, or how and when it ended. */
function End({ of: { status, expires_at, closed_at } }: { readonly of: Envelope }) {
  const { t } = useTranslation();
  if (status === "open") return <Time at={expires_at} as="relative" />;
  return (
    <>
      <span>{t(`envelopes.status.${status}`)}</span> · <Time at={closed_at ?? expires_at} as="relative" />
    </>
  );
}

function useColumns(state: State): Columns<Placed<Envelope>> {
  const { t } = useTranslation();
  return useMemo(() => {
    const ends = t(state === "open" ? "envelopes.columns.ends" : "envelopes.columns.ended");
    const amount = (name: "spent" | "amount" | "remaining", usdOf: (of: Envelope) => string, from?: "sm") =>
      column.display({
        id: name,
        header: t(`envelopes.columns.${name}`),
        cell: ({ row: { original } }) => <Money usd={usdOf(original.of)} />,
        meta: { align: "right", ...(from !== undefined && { from }) },
      });
    return [
      column.display({
        id: "name",
        header: t("envelopes.columns.name"),
        cell: ({ row: { original } }) => (
          <EnvelopeName of={original}>
            <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
              {original.of.status === "open" && `${ends} `}
              <End of={original.of} />
            </Text>
          </EnvelopeName>
        ),
      }),
      column.display({
        id: "root",
        header: t("envelopes.columns.root"),
        // A nested envelope has that of the one above it.
        cell: ({ row: { original } }) => original.depth === 0 && <KeyLink id={original.of.root_key_id} />,
        meta: { from: "md" },
      }),
      amount("spent", ({ spent_usd }) => spent_usd),
      amount("amount", ({ max_usd }) => max_usd, "sm"),
      ...(state === "open" ? [amount("remaining", ({ remaining_usd }) => remaining_usd)] : []),
      column.display({
        id: "end",
        header: ends,
        cell: ({ row: { original } }) => <End of={original.of} />,
        meta: { from: "sm" },
      }),
    ];
  }, [t, state]);
}

/** A small envelope for an hour. */
const opening = '{"max_usd": 0.5, "ttl": 3600, "name": "researcher"}';

function None({ state }: { readonly state: State }) {
  const { t } = useTranslation();
  const { base_url: baseUrl } = useSession();
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t(state === "open" ? "envelopes.none" : "envelopes.noneEnded")}
      </Text>
      {state === "open" && (
        <CodeBlock text={curlOf({ url: `${baseUrl}/v1/envelopes`, body: opening })} label={t("envelopes.curl")} />
      )}
    </Stack>
  );
}

function List({ account, state }: { readonly account: string; readonly state: State }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/billing" });
  const { hovered, ref } = useHover();
  const query = { account, state };
  const found = useLiveList<Envelope>({ name: "billing", path: "/envelopes", query, idOf, isHeld: hovered });
  const columns = useColumns(state);
  const rows = useMemo(() => found.data && inTree(found.data), [found.data]);
  if (found.error !== null) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  return (
    <div ref={ref}>
      <DataTable
        label={t("envelopes.title")}
        columns={columns}
        rows={rows}
        rowId={({ of }) => of.id}
        onOpen={({ of }) => void navigate({ search: (before) => ({ ...before, envelope: of.id }) })}
        empty={<None state={state} />}
      />
      <ShowMore {...found} />
    </div>
  );
}

/** The envelopes of an account as a tree: those that are open, or those that have ended. */
export function Envelopes({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const { envelopes } = route.useSearch();
  const navigate = useNavigate({ from: "/billing" });
  const state = envelopes === "ended" ? envelopes : "open";
  const filter = (
    <SegmentedControl
      size="xs"
      aria-label={t("envelopes.state")}
      value={state}
      onChange={(value) =>
        void navigate({
          search: (before) => ({ ...before, envelopes: value === "ended" ? value : undefined }),
          replace: true,
          resetScroll: false,
        })
      }
      data={states.map((value) => ({ value, label: t(`envelopes.states.${value}`) }))}
    />
  );
  return (
    <Panel title={t("envelopes.title")} action={filter}>
      <Text size="xs" c="dimmed" mb="sm">
        {t("envelopes.about")}
      </Text>
      <List account={id} state={state} />
      <EnvelopeDrawer />
    </Panel>
  );
}
