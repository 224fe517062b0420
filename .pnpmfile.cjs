/** The reference's browser bundle is whole in itself: what it is built from is not needed to serve it. */
function readPackage(manifest) {
  if (manifest.name === "@scalar/api-reference") manifest.dependencies = {};
  return manifest;
}

module.exports = { hooks: { readPackage } };
