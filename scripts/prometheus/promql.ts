import { parser } from "@prometheus-io/lezer-promql";

/** A selector of a query's series. */
export interface Selector {
  readonly metric: string;
  /** Labels by which series are chosen. */
  readonly labels: readonly string[];
}

/** The selectors of a query. @throws {Error} if it is not PromQL */
export function selectorsOf(query: string): Selector[] {
  const found: { metric: string; labels: string[] }[] = [];
  parser.parse(query).iterate({
    enter({ name, type, from, to }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${query}`);
      if (name === "VectorSelector") found.push({ metric: "", labels: [] });
      const last = found.at(-1);
      if (name === "Identifier" && last !== undefined) last.metric = query.slice(from, to);
    },
    leave(node) {
      const isMatcher = node.name === "UnquotedLabelMatcher";
      const label = isMatcher ? node.node.getChild("LabelName") : null;
      if (label !== null) found.at(-1)?.labels.push(query.slice(label.from, label.to));
    },
  });
  return found;
}
