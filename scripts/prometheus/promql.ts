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

/** Returns a query with more label matchers in each of its selectors. */
export function withMatchers(query: string, matchers: string): string {
  const insertions: { at: number; text: string }[] = [];
  parser.parse(query).iterate({
    enter({ name, node, to }) {
      if (name !== "VectorSelector") return;
      const braces = node.getChild("LabelMatchers");
      if (braces === null) insertions.push({ at: to, text: `{${matchers}}` });
      else insertions.push({ at: braces.to - 1, text: braces.to - braces.from > 2 ? `,${matchers}` : matchers });
    },
  });
  return insertions.reduceRight((text, { at, text: more }) => text.slice(0, at) + more + text.slice(at), query);
}
