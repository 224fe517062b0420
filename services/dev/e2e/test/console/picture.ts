import sharp from "sharp";

/** A mosaic of colours, as an uploaded file. */
export async function samplePicture() {
  const noise = { type: "gaussian", mean: 140, sigma: 60 } as const;
  const tiles = sharp({ create: { width: 24, height: 18, channels: 3, background: "#4c6ef5", noise } });
  const buffer = await tiles.resize(960, 720, { kernel: "nearest" }).png().toBuffer();
  return { name: "harbour-at-noon.png", mimeType: "image/png", buffer };
}
