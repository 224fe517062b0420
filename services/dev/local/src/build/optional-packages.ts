/** Optional packages of the MongoDB driver, such as compression and Kerberos, that no bundle contains. */
export const optionalPackages = [
  "@aws-sdk/credential-providers",
  "@mongodb-js/zstd",
  "gcp-metadata",
  "kerberos",
  "mongodb-client-encryption",
  "snappy",
  "socks",
] as const;

/** Whether an import names one of these packages, or a module in it. */
export const isIn = (id: string, packages: readonly string[]): boolean =>
  packages.some((name) => id === name || id.startsWith(`${name}/`));
