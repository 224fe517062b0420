import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

const dark: MantineColorsTuple = [
  "#d3d7de",
  "#b4bac4",
  "#949cab",
  "#6a7382",
  "#3a414d",
  "#2b313b",
  "#20252d",
  "#171b21",
  "#111419",
  "#0c0e12",
];

/**
 * How everything looks. One accent; the rest is grey, so that colour means something where it is
 * used.
 */
export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 7, dark: 8 },
  colors: { dark },
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', 'Noto Sans SC', sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  defaultRadius: "md",
  cursorType: "pointer",
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.25" },
      h2: { fontSize: "1.125rem", lineHeight: "1.35" },
      h3: { fontSize: "1rem", lineHeight: "1.4" },
    },
  },
  components: {
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true, multiline: true, maw: 360 } },
    Modal: { defaultProps: { centered: true, overlayProps: { blur: 2 } } },
  },
});

/**
 * Mantine's own grey for secondary text misses WCAG's 4.5:1 on white and on the dark background.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5a6270",
    "--mantine-color-placeholder": "#6b7380",
    "--mantine-color-error": "#c92a2a",
    "--app-surface": "#ffffff",
    "--app-backdrop": "#f7f8fa",
    "--app-border": "#e4e7eb",
  },
  dark: {
    "--mantine-color-dimmed": "#a0a8b5",
    "--mantine-color-placeholder": "#8a929f",
    "--mantine-color-error": "#ff8787",
    "--app-surface": "#171b21",
    "--app-backdrop": "#111419",
    "--app-border": "#2b313b",
  },
});
