import { withMatchers } from "./promql.ts";
import type { Dashboard } from "./sources.ts";

const columns = 2;
const panelWidth = 24 / columns;
const panelHeight = 8;

const datasource = { type: "prometheus", uid: "$datasource" };

/** What the dashboards' variables select; the charts' jobs are named `<fleet>-<service>-admin`. */
export const matchers = 'job=~"$fleet-[a-z]+-admin",namespace=~"$namespace",pod=~"$pod"';

/** A query narrowed to the variables. */
export const narrowed = (query: string): string => withMatchers(query, matchers);

/** Series of every process, with the labels of the scrape. */
const source = "process_start_time_seconds";

/** A variable with several values, all by default; a label that a Prometheus does not set matches `.*`. */
const variable = (name: string, query: string, regex = ""): object => ({
  name,
  type: "query",
  datasource,
  query: { query: `label_values(${query})`, refId: name },
  regex,
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: ".*",
  current: { text: ["All"], value: ["$__all"] },
});

const variables: readonly object[] = [
  { name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" },
  variable("fleet", `${source}, job`, "/^(.+)-[a-z]+-admin$/"),
  variable("namespace", `${source}{job=~"$fleet-[a-z]+-admin"}, namespace`),
  variable("pod", `${source}{job=~"$fleet-[a-z]+-admin",namespace=~"$namespace"}, pod`),
];

/** A dashboard in the provisioning format of Grafana (10 or newer). */
export function grafanaJson({ name, question, panels }: Dashboard): string {
  const dashboard = {
    uid: `uag-${name}`,
    title: question,
    tags: ["uag"],
    schemaVersion: 39,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    templating: { list: variables },
    panels: panels.map(({ title, unit, queries, empty }, at) => ({
      id: at + 1,
      type: "timeseries",
      title,
      description: empty === undefined ? "" : `Empty if ${empty}.`,
      datasource,
      gridPos: {
        x: (at % columns) * panelWidth,
        y: Math.floor(at / columns) * panelHeight,
        w: panelWidth,
        h: panelHeight,
      },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: Object.entries(queries).map(([legendFormat, expr], index) => ({
        refId: String.fromCharCode("A".charCodeAt(0) + index),
        datasource,
        expr: narrowed(expr),
        legendFormat,
      })),
    })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
