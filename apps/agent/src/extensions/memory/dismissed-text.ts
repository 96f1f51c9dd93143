/** Says what a dismissal means. */
export function dismissedText(slug: string): string {
  return `${slug} is not attached to your messages any more. It stays in the memory.`;
}
