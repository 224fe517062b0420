import type { Dashboard } from "./sources.ts";

const columns = 2;
const panelWidth = 24 / columns;
const panelHeight = 8;

/** A dashboard in the provisioning format of Grafana (10 or newer). */
export function grafanaJson({ name, question, panels }: Dashboard): string {
  const datasource = { type: "prometheus", uid: "$datasource" };
  const dashboard = {
    uid: `uag-${name}`,
    title: question,
    tags: ["uag"],
    schemaVersion: 39,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    templating: { list: [{ name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" }] },
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
        expr,
        legendFormat,
      })),
    })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
