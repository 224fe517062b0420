/** The questions of an on-call engineer, by which metrics, alerts and dashboards are grouped. */
export const questions = {
  service: "Is it up and fast?",
  money: "Is the money correct and settled?",
  providers: "Which provider is failing?",
  limits: "Who is limited, and by what?",
  capacity: "Is it about to be full?",
  people: "What are users doing?",
} as const;

/** One of {@link questions}. */
export type Question = keyof typeof questions;

/** Sets of label values that are too long for a row or that the deployment decides. */
export const labelSets = {
  error_code: "an error code",
  http_status: "an HTTP status",
  counter: "a counter in a provider's usage; at most 64, then `other`",
  model: "a model in the catalogue",
  operation: "an operation, or `none`",
  provider: "a provider in the catalogue",
  runtime: "a Node.js value, at most 40",
  tool: "an MCP tool",
  unit: "a price unit",
} as const;

/** The name of one of {@link labelSets}. */
export type LabelSet = keyof typeof labelSets;

/** The allowed values of a label: a list, or a set. Never text from a client. */
export type LabelBound = readonly string[] | LabelSet;

/** Labels by their names. */
type LabelBounds = Readonly<Record<string, LabelBound>>;

/** The Prometheus type of a metric. */
export type MetricType = "counter" | "gauge" | "histogram" | "summary";

/**
 * The exporter of a metric: one service, every capability service, every service that uses its
 * database's clock, or every process.
 */
export type Exporter =
  | "router"
  | "capability"
  | "database clock"
  | "billing"
  | "chat"
  | "metering"
  | "auditor"
  | "notifications"
  | "media"
  | "video"
  | "mcp"
  | "console"
  | "all";

/** One metric. Its name ends with its unit. */
export interface MetricRow<T extends MetricType = MetricType, L extends LabelBounds = LabelBounds> {
  readonly type: T;
  readonly exporter: Exporter;
  readonly question: Question;
  /** What it measures, in one sentence. */
  readonly help: string;
  readonly labels: L;
}

interface Make<T extends MetricType> {
  (help: string): MetricRow<T, Readonly<Record<never, LabelBound>>>;
  <const L extends LabelBounds>(help: string, labels: L): MetricRow<T, L>;
}

/** Row constructors for one exporter and one question. */
export interface RowMakers {
  readonly counter: Make<"counter">;
  readonly gauge: Make<"gauge">;
  readonly histogram: Make<"histogram">;
  readonly summary: Make<"summary">;
}

/** Returns the row constructors for one exporter and one question. */
export function rowsOf(exporter: Exporter, question: Question): RowMakers {
  const make = <T extends MetricType>(type: T) =>
    ((help: string, labels: LabelBounds = {}) => ({ type, exporter, question, help, labels })) as Make<T>;
  return { counter: make("counter"), gauge: make("gauge"), histogram: make("histogram"), summary: make("summary") };
}
