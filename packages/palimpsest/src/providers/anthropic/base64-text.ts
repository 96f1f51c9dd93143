/**
 * The UTF-8 text of base64 data. What is no base64 in it is passed over, as `Buffer` does: data of old logs has to give
 * the same request in every runtime, and `atob` would throw.
 */
export function base64Text(data: string): string {
  const ended = data.replace(/=.*$/s, "");
  const characters = ended
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/[^A-Za-z0-9+/]/g, "");
  // One character alone is six bits, and no byte.
  const whole = characters.length % 4 === 1 ? characters.slice(0, -1) : characters;
  const bytes = Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
