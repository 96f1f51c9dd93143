import type { TopicDraft } from "@palimpsest/memory";

const DESCRIPTION_CHARACTERS = 120;

/** Reads the sections of an instruction file as topics. Text before the first heading is left out. */
export function readSections(markdown: string): readonly TopicDraft[] {
  const sections: { name: string; lines: string[] }[] = [];
  let fence = false;
  for (const line of markdown.split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) fence = !fence;
    const heading = fence ? null : /^#{1,6}\s+(.+?)\s*#*$/.exec(line);
    if (heading !== null) sections.push({ name: heading[1]!, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.flatMap(({ name, lines }) => {
    const body = lines.join("\n").trim();
    if (body === "") return [];
    const first = body.replace(/^[-*\s]+/, "").split(/(?<=[.!?])\s|\n/)[0]!;
    const description =
      first.length <= DESCRIPTION_CHARACTERS ? first : `${first.slice(0, DESCRIPTION_CHARACTERS - 1)}…`;
    return [{ name, description, type: "project" as const, body }];
  });
}
