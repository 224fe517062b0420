import assert from "node:assert/strict";
import { test } from "node:test";
import { LinkError, type LinkErrorCode } from "@uag/link/errors";
import { isReportedByService, linkFailure } from "./link-failure.ts";

test("a link failure maps to the matching error code", () => {
  const rows: [LinkErrorCode, string, number][] = [
    ["unsent", "draining", 503],
    ["unavailable", "x", 503],
    ["closed", "x", 503],
    ["deadline", "x", 504],
    ["broken", "x", 500],
    ["aborted", "x", 500],
    ["protocol", "x", 500],
    ["failed", "internal", 500],
    ["failed", "rate_limit_exceeded", 429],
  ];
  for (const [code, reason, status] of rows) assert.equal(linkFailure(new LinkError(code, reason)).httpStatus, status);
  assert.equal(linkFailure(new LinkError("too_large", "x", { seen: false })).httpStatus, 431);
});

test("a service's own error code is passed on unchanged", () => {
  assert.equal(isReportedByService(new LinkError("failed", "upstream_error")), true);
  assert.equal(isReportedByService(new LinkError("failed", "internal")), false);
  assert.equal(isReportedByService(new LinkError("failed", "toString")), false);
});
