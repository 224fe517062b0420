import { Anchor, Table, Typography } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "../../ui/code-block.tsx";
import classes from "./markdown.module.css";

/** A fenced block, whose text is that of the `code` element in it. */
function Code({ children }: { readonly children?: ReactNode }) {
  const { t } = useTranslation();
  const { children: text } = (children as { props: { children?: unknown } }).props;
  return <CodeBlock text={String(text ?? "").replace(/\n$/, "")} label={t("playground.codeBlock")} />;
}

const components: Components = {
  a: ({ href, children }) => (
    <Anchor href={href} target="_blank" rel="noreferrer" inherit>
      {children}
    </Anchor>
  ),
  // An image of a model's choice would tell its host that the response was read.
  img: ({ src, alt }) => (
    <Anchor href={typeof src === "string" ? src : undefined} target="_blank" rel="noreferrer" inherit>
      {alt || String(src)}
    </Anchor>
  ),
  pre: Code,
  table: ({ children }) => (
    <Table.ScrollContainer minWidth={200} type="native">
      <Table withTableBorder fz="sm">
        {children}
      </Table>
    </Table.ScrollContainer>
  ),
};

/** Markdown of a model, without HTML of its own. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Typography className={classes["text"] ?? ""}>
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={components}>
        {text}
      </ReactMarkdown>
    </Typography>
  );
}
