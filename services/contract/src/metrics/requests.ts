import { limitNames } from "../messages/billing.ts";
import { rowsOf } from "./row.ts";

const router = rowsOf("router", "service");
const capability = rowsOf("capability", "service");
const providers = rowsOf("capability", "providers");
const limits = rowsOf("capability", "limits");
const capacity = rowsOf("capability", "capacity");
const people = rowsOf("console", "people");
const tools = rowsOf("mcp", "people");
const lending = rowsOf("billing", "limits");

const failureKinds = [
  "client",
  "unknown_model",
  "operator",
  "quota",
  "capacity",
  "transient",
  "timeout",
  "unreachable",
  "busy",
  "cancelled",
] as const;

/** What is exported of requests on their way: the router, the services, their providers. */
export const requestMetrics = {
  uag_requests_total: router.counter("Requests that the router answered.", {
    operation: "operation",
    status: "http_status",
  }),
  uag_request_seconds: router.histogram("From a request's head to the end of its answer.", { operation: "operation" }),
  uag_broken_answers_total: router.counter("Answers that were cut before their end.", { operation: "operation" }),
  uag_requests_in_flight: router.gauge("Requests that are not answered yet."),
  uag_key_lookups_total: router.counter("Calls of billing that look keys up."),
  uag_key_changes_total: router.counter("Changes of keys that the router heard of."),

  uag_first_byte_seconds: capability.histogram("Of streams: from the request's admission to its first bytes."),
  uag_settlements_total: capability.counter("Admitted requests by how they ended.", {
    outcome: ["completed", "disconnected", "failed", "crashed", "unspecified"],
  }),

  uag_upstream_answers_total: providers.counter("Calls of providers that were answered.", { provider: "provider" }),
  uag_upstream_failures_total: providers.counter("Calls of providers that failed.", {
    provider: "provider",
    kind: failureKinds,
  }),
  uag_upstream_retries_total: providers.counter("Calls of providers beyond the first of a request."),
  uag_upstream_cooldown_seconds: providers.gauge("How long a provider, or a model of it, is not asked yet.", {
    provider: "provider",
  }),
  uag_drains: providers.gauge("Calls of providers that are read on for their usage after their clients left."),

  uag_admitted_total: limits.counter("Admitted requests, by where their money came from.", {
    from: ["memory", "billing"],
  }),
  uag_admission_refused_total: limits.counter("Requests that were refused before a provider was called.", {
    code: "error_code",
  }),
  uag_admit_wait_seconds: limits.histogram("How long requests waited for billing's grant."),
  uag_billing_limit_borrows_total: lending.counter("Calls of billing for permits of a key's limits.", {
    limit: limitNames,
    outcome: ["lent", "short"],
  }),
  uag_billing_limit_recalls_total: lending.counter("Times that idle permits were asked for.", { limit: limitNames }),
  uag_billing_limit_holders_lapsed_total: lending.counter("Holders of permits whose lease ran out."),

  uag_buffered_bytes: capacity.gauge("Bytes held in memory for clients."),
  uag_buffered_limit_bytes: capacity.gauge("Most bytes that may be held in memory for clients."),
  uag_buffers_refused_total: capacity.counter("Requests refused because too much was held in memory."),

  uag_console_requests_total: people.counter("Requests to the console.", { status: "http_status" }),
  uag_console_sign_ins_total: people.counter("Sign-ins by how they ended.", {
    outcome: ["password", "oidc", "invitation", "failed"],
  }),
  uag_mcp_requests_total: tools.counter("Requests to the MCP server.", { status: "http_status" }),
  uag_mcp_tool_call_seconds: tools.histogram("Calls of tools, by the public API's refusal or ok.", {
    tool: "tool",
    outcome: "error_code",
  }),
} as const;
