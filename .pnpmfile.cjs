/**
 * The reference's browser bundle is whole in itself: what it is built from is not needed to serve
 * it.
 */
function readPackage(manifest) {
  if (manifest.name === "@scalar/api-reference") manifest.dependencies = {};
  // It writes code with the compiler's JavaScript interface, which TypeScript 7 no longer has.
  if (manifest.name === "@hey-api/openapi-ts") {
    manifest.peerDependencies = {};
    manifest.dependencies.typescript = "5.9.3";
  }
  return manifest;
}

module.exports = { hooks: { readPackage } };
