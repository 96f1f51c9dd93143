/**
 * Tells texts apart: the same for the same text, and for two texts of one file and one length the same only once in some four
 * billions. To find repetitions without keeping what is repeated.
 */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return `${text.length}:${hash >>> 0}`;
}
