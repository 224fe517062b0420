import assert from "node:assert/strict";
import { test } from "node:test";
import { loggedPath } from "./logged-path.ts";

test("logs the fixed segments of known paths and masks all others", () => {
  for (const [target, expected] of [
    ["/v1/chat/completions", "/v1/chat/completions"],
    ["/v1/v1/models?key=secret", "/v1/v1/models"],
    ["/v1/videos/generations/video_1", "/v1/videos/generations/*"],
    ["/console/api/invitations/c2VjcmV0/accept", "/console/api/invitations/*/accept"],
    ["/console/invitations/c2VjcmV0", "/console/invitations/*"],
    ["/assets/c2VjcmV0.png", "/assets/*"],
    ["/asset/c2VjcmV0", "/*/*"],
    ["/admin/v1/keys/key_1/regenerate", "/admin/v1/keys/*/regenerate"],
    ["/", "/"],
  ] as const)
    assert.equal(loggedPath(target), expected);
});
