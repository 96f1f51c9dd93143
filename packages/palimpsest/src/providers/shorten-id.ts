/**
 * Returns an id that the service accepts: it refuses long ids, which other providers write. The id of a call and of its
 * result are shortened in the same way, so they still match.
 */
export function shortenId(id: string, maximumLength: number): string {
  return id.length <= maximumLength ? id : `${id.slice(0, maximumLength - 9)}-${fingerprint(id)}`;
}

/** FNV-1a, as eight hexadecimal digits. */
export function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
