import { anthropicReports } from "@uag/providers/anthropic/reports";
import type { HttpPools } from "@uag/providers/http/pools";
import { openAiReports } from "@uag/providers/openai/reports";
import { keySettings, type ReportingProvider } from "@uag/providers/reports/key-settings";
import type { ProviderReports } from "@uag/providers/reports/types";
import type { ReconcileConfig } from "./config.ts";

/** The reports of every provider whose admin key is set, by the provider's name. */
export function reportsOf(config: ReconcileConfig, pools: HttpPools): ReadonlyMap<ReportingProvider, ProviderReports> {
  const reports = new Map<ReportingProvider, ProviderReports>();
  const { OPENAI_ADMIN_KEY: openAiKey, ANTHROPIC_ADMIN_KEY: anthropicKey } = config;
  if (openAiKey !== undefined) {
    const headers = ["authorization", `Bearer ${openAiKey}`, "accept-encoding", "identity"];
    const baseUrl = config.OPENAI_ADMIN_BASE_URL;
    const access = { pools, provider: "openai", baseUrl, headers, keySetting: keySettings.openai };
    reports.set("openai", openAiReports(access, config.OPENAI_ADMIN_PROJECT));
  }
  if (anthropicKey !== undefined) {
    const headers = ["x-api-key", anthropicKey, "anthropic-version", "2023-06-01", "accept-encoding", "identity"];
    const baseUrl = config.ANTHROPIC_ADMIN_BASE_URL;
    const access = { pools, provider: "anthropic", baseUrl, headers, keySetting: keySettings.anthropic };
    reports.set("anthropic", anthropicReports(access, config.ANTHROPIC_ADMIN_WORKSPACE));
  }
  return reports;
}
