/**
 * Decodes base64 data as UTF-8 text. Invalid characters are skipped, as `Buffer` does: data of old logs must give the
 * same request in every runtime, and `atob` would throw.
 */
export function base64Text(data: string): string {
  const ended = data.replace(/=.*$/s, "");
  const characters = ended
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/[^A-Za-z0-9+/]/g, "");
  // A single leftover character is six bits, less than a byte.
  const whole = characters.length % 4 === 1 ? characters.slice(0, -1) : characters;
  const bytes = Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
