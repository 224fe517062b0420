import { Box, Code, ScrollArea } from "@mantine/core";
import { Copy } from "./copy.tsx";

/** Text to be pasted elsewhere, with a button that copies all of it. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <Box pos="relative">
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, "aria-label": label, role: "region" }}>
        <Code block pr={44} fz="xs" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {text}
        </Code>
      </ScrollArea.Autosize>
      <Box pos="absolute" top={6} right={6}>
        <Copy value={text} />
      </Box>
    </Box>
  );
}
