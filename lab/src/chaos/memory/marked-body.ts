/** A body that shows whether it is whole. */
export function bodyFor(id: string): string {
  return `begin ${id}\n${"filler ".repeat(20 + Math.floor(Math.random() * 300))}\nend ${id}`;
}

/** Whether a text begins something that it does not end. Texts of others have no such mark. */
export function isTorn(text: string): boolean {
  const id = /^begin (\S+)$/m.exec(text)?.[1];
  return id !== undefined && !text.includes(`end ${id}`);
}
