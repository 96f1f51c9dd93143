/**
 * Decodes base64 data. Invalid characters are skipped, as `Buffer` does: data in a log must give the same request in
 * every runtime, and `atob` would throw.
 */
export function base64Bytes(data: string): Uint8Array<ArrayBuffer> {
  const ended = data.replace(/=.*$/s, "");
  const characters = ended
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/[^A-Za-z0-9+/]/g, "");
  // A single leftover character is six bits, less than a byte.
  const whole = characters.length % 4 === 1 ? characters.slice(0, -1) : characters;
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
}

/** Decodes base64 data as UTF-8 text. */
export function base64Text(data: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(base64Bytes(data));
}

/** Encodes bytes, in pieces that fit a call. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 8_192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8_192));
  }
  return btoa(binary);
}
