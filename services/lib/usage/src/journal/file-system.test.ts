import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { refuseSharedFileSystem, sharedFileSystem } from "./file-system.ts";

test("shared file systems are distinguished from local ones, also if statfs returns a negative number", async () => {
  const [ext4, xfs, tmpfs, overlay] = [0xef53, 0x58465342, 0x01021994, 0x794c7630];
  assert.deepEqual([ext4, xfs, tmpfs, overlay].map(sharedFileSystem), [undefined, undefined, undefined, undefined]);
  assert.equal(sharedFileSystem(0x6969), "NFS");
  assert.equal(sharedFileSystem(0xff534d42 | 0), "CIFS");
  assert.match(sharedFileSystem(0x65735546) ?? "", /GlusterFS, virtiofs/);
  await refuseSharedFileSystem(tmpdir());
});
