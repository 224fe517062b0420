import { limitNames } from "../messages/billing.ts";
import { rowsOf } from "./row.ts";

const router = rowsOf("router", "service");
const billing = rowsOf("billing", "service");
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
  "spend_cap",
  "operator",
  "quota",
  "capacity",
  "transient",
  "timeout",
  "unreachable",
  "busy",
  "cancelled",
] as const;

/** Metrics of requests in the router, the services and at their providers. */
export const requestMetrics = {
  uag_requests_total: router.counter("Requests handled by the router.", {
    operation: "operation",
    status: "http_status",
  }),
  uag_request_seconds: router.histogram("Time from a request's headers to the end of its response.", {
    operation: "operation",
  }),
  uag_broken_responses_total: router.counter("Responses truncated before their end.", { operation: "operation" }),
  uag_requests_in_flight: router.gauge("Requests in progress."),
  uag_key_lookups_total: router.counter("Key lookups at billing."),
  uag_key_changes_total: router.counter("Key changes received by the router."),

  uag_catalog_version: capability.gauge("Number of the operators' changes to the catalogue that are in force."),
  uag_catalog_hash: capability.gauge("First 48 bits of the SHA-256 of the catalogue's file in force."),
  uag_catalog_rejected: capability.gauge("1 while the catalogue's file or its changes are invalid, else 0."),
  uag_billing_catalog_version: billing.gauge("Number of the operators' changes to the catalogue so far."),
  uag_first_byte_seconds: capability.histogram("Streams only: time from admission to the first bytes."),
  uag_settlements_total: capability.counter("Admitted requests by outcome.", {
    outcome: ["completed", "disconnected", "failed", "crashed", "unspecified"],
  }),

  uag_upstream_responses_total: providers.counter("Provider calls that returned a response.", { provider: "provider" }),
  uag_upstream_failures_total: providers.counter("Provider calls that failed.", {
    provider: "provider",
    kind: failureKinds,
  }),
  uag_upstream_retries_total: providers.counter("Provider calls after a request's first (retries and fallbacks)."),
  uag_fallbacks_total: capability.counter("Requests that a fallback of the requested model served.", {
    reason: [...failureKinds, "cooldown"],
  }),
  uag_upstream_cooldown_seconds: providers.gauge("Remaining cooldown of a provider or of one of its models.", {
    provider: "provider",
  }),
  uag_circuits_open: providers.gauge(
    "Models of a provider whose circuit is open or half open, as too many of their recent calls failed.",
    { provider: "provider" },
  ),
  uag_concurrency_limit: providers.gauge(
    "Concurrent calls that a provider with adaptive concurrency is sent in this process; the lowest of its models.",
    { provider: "provider" },
  ),
  uag_circuit_changes_total: providers.counter("Circuits of a provider's models that opened or closed.", {
    provider: "provider",
    state: ["open", "closed"],
  }),
  uag_credentials_unavailable: providers.gauge(
    "Credentials of a provider that are limited, rejected or without credit, and only used as a last resort.",
    { provider: "provider" },
  ),
  uag_drains: providers.gauge("Provider calls still being read for their usage after the client disconnected."),

  uag_admitted_total: limits.counter("Admitted requests by source of money.", {
    from: ["memory", "billing"],
  }),
  uag_admission_refused_total: limits.counter("Requests rejected before a provider was called.", {
    code: "error_code",
  }),
  uag_admit_wait_seconds: limits.histogram("Time that requests waited for a grant from billing."),
  uag_billing_limit_borrows_total: lending.counter("Requests to billing for permits under a key's limits.", {
    limit: limitNames,
    outcome: ["lent", "short"],
  }),
  uag_billing_url_fetch_leases_total: lending.counter("Requests to billing for permits to fetch URLs.", {
    outcome: ["lent", "short"],
  }),
  uag_billing_limit_recalls_total: lending.counter("Recalls of idle permits.", { limit: limitNames }),
  uag_billing_limit_holders_lapsed_total: lending.counter("Permit holders whose lease expired."),

  uag_buffered_bytes: capacity.gauge("Bytes buffered for clients."),
  uag_buffered_limit_bytes: capacity.gauge("Limit of bytes buffered for clients."),
  uag_buffers_refused_total: capacity.counter("Requests rejected because the buffer memory was full."),

  uag_url_fetches_refused_total: limits.counter(
    "Fetches of URLs in requests refused because an account's budget is used up.",
  ),
  uag_console_invitations_refused_total: people.counter("Invitations refused because an account's budget is used up."),

  uag_console_mails_total: people.counter("Mails to users of the console: invitations and password resets.", {
    outcome: ["sent", "failed"],
  }),
  uag_console_requests_total: people.counter("Requests to the console.", { status: "http_status" }),
  uag_console_sign_ins_total: people.counter("Sign-ins by outcome.", {
    outcome: ["password", "oidc", "invitation", "failed"],
  }),
  uag_mcp_requests_total: tools.counter("Requests to the MCP server.", { status: "http_status" }),
  uag_mcp_tool_call_seconds: tools.histogram("Tool calls, by the public API's error code or ok.", {
    tool: "tool",
    outcome: "error_code",
  }),
} as const;
