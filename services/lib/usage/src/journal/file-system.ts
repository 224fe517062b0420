import { statfs } from "node:fs/promises";
import { ConfigError } from "@uag/runtime/config";

/** File systems that several machines may mount at once, by the `f_type` of statfs(2), 32 bits. */
const shared = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x65735546, "FUSE (GlusterFS, virtiofs, s3fs and others)"],
  [0x00c36400, "CephFS"],
  [0x01021997, "9P"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x73757245, "Coda"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x19830326, "BeeGFS"],
  [0xaad7aaea, "PanFS"],
  [0x786f4256, "a VirtualBox shared folder"],
  [0xbacbacbc, "a VMware shared folder"],
  [0x7c7c6673, "a Parallels shared folder"],
]);

/**
 * The name of a shared file system; undefined for a local one. @param type as returned by statfs(2)
 */
export function sharedFileSystem(type: number): string | undefined {
  return shared.get(type >>> 0);
}

/**
 * Refuses a directory that other machines may have mounted: there it is impossible to tell whether
 * a journal's owner is alive, and the durability of a synchronous write is up to the server.
 * @throws {ConfigError}
 */
export async function refuseSharedFileSystem(dir: string): Promise<void> {
  const name = sharedFileSystem((await statfs(dir)).type);
  if (name === undefined) return;
  throw new ConfigError(
    `The usage journal's directory ${dir} is on ${name}, which several machines may share: a process could be taken for dead, ` +
      "and its bills be lost. Give each replica a volume of its own machine (JOURNAL_DIR), " +
      "or set JOURNAL_SHARED_FS=allow when no two machines have it at a time.",
  );
}
