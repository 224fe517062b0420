/** What somebody on call wants to know; metrics, alerts and dashboards are sorted by it. */
export const questions = {
  service: "Is it up and quick?",
  money: "Is the money right and settled?",
  providers: "Which provider fails?",
  limits: "Who is limited, and by what?",
  capacity: "Is it about to be full?",
  people: "What do people do in it?",
} as const;

/** One of {@link questions}. */
export type Question = keyof typeof questions;

/** Sets of label values that are too long to write into a row, or that the deployment decides. */
export const labelSets = {
  error_code: "a code of the table of errors",
  http_status: "an HTTP status",
  counter: "a counter in a provider's usage, at most 64 of them; others are `other`",
  model: "a model of the catalogue",
  operation: "an operation of the table of routes, or none",
  provider: "a provider of the catalogue",
  runtime: "a word of Node.js's own, at most 40 of them",
  tool: "a tool of the MCP server",
  unit: "a unit of prices",
} as const;

/** The name of such a set. */
export type LabelSet = keyof typeof labelSets;

/** What a label's value may be: one of a list, or of a set. Never a client's own words. */
export type LabelBound = readonly string[] | LabelSet;

/** Labels by their names. */
export type LabelBounds = Readonly<Record<string, LabelBound>>;

/** What a metric is to Prometheus. */
export type MetricType = "counter" | "gauge" | "histogram" | "summary";

/**
 * Who exports a metric: one service, those that serve models, those that go by their database's
 * clock, or every process.
 */
export type Exporter =
  | "router"
  | "capability"
  | "database clock"
  | "billing"
  | "metering"
  | "auditor"
  | "video"
  | "mcp"
  | "console"
  | "all";

/** One metric. Its unit is what its name ends with. */
export interface MetricRow<T extends MetricType = MetricType, L extends LabelBounds = LabelBounds> {
  readonly type: T;
  readonly exporter: Exporter;
  readonly question: Question;
  /** What its figure is, in a sentence. */
  readonly help: string;
  readonly labels: L;
}

interface Make<T extends MetricType> {
  (help: string): MetricRow<T, Readonly<Record<never, LabelBound>>>;
  <const L extends LabelBounds>(help: string, labels: L): MetricRow<T, L>;
}

/** Makers of rows for one exporter and one question. */
export interface RowMakers {
  readonly counter: Make<"counter">;
  readonly gauge: Make<"gauge">;
  readonly histogram: Make<"histogram">;
  readonly summary: Make<"summary">;
}

/** Makers of the rows of metrics that one exporter has for one question. */
export function rowsOf(exporter: Exporter, question: Question): RowMakers {
  const make = <T extends MetricType>(type: T) =>
    ((help: string, labels: LabelBounds = {}) => ({ type, exporter, question, help, labels })) as Make<T>;
  return { counter: make("counter"), gauge: make("gauge"), histogram: make("histogram"), summary: make("summary") };
}
