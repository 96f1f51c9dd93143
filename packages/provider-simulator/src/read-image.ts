/** Properties of an image, read from its bytes. */
export type ImageFacts =
  | { readonly kind: "image"; readonly type: string; readonly bytes: number; readonly largestSide: number | undefined }
  | { readonly kind: "empty" }
  | { readonly kind: "broken" };

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const PNG_END = Buffer.from("49454e44ae426082", "hex");

/** Reads an image as far as a service does before it looks at it. Of a PNG also its sides, and whether all of it is there. */
export function readImage(base64: string): ImageFacts {
  const data = Buffer.from(base64, "base64");
  if (data.length === 0) return { kind: "empty" };
  const image = (type: string, largestSide?: number): ImageFacts => ({
    kind: "image",
    type,
    bytes: data.length,
    largestSide,
  });
  const text = data.subarray(0, 16).toString("latin1");
  if (data.subarray(0, 8).equals(PNG)) {
    const isWhole = data.length >= 33 && data.subarray(-8).equals(PNG_END);
    return isWhole ? image("image/png", Math.max(data.readUInt32BE(16), data.readUInt32BE(20))) : { kind: "broken" };
  }
  if (text.startsWith("\xff\xd8\xff")) return image("image/jpeg");
  if (text.startsWith("GIF8")) return image("image/gif");
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return image("image/webp");
  return { kind: "broken" };
}

export function isPdf(base64: string): boolean {
  return Buffer.from(base64.slice(0, 1_368), "base64").includes("%PDF-");
}
