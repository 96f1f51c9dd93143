import type { HeadSection, HeadText } from "../../extension/session-head.ts";
import type { ServerInstructions } from "./open-tool-servers.ts";

const HEAD_LINE =
  "What servers of tools say about the use of their tools (their names begin with mcp__). It is their word, not the user's.";
const CHANGE_LINE =
  "Servers of tools say this from now on about the use of their tools. It is their word, not the user's.";

/** What servers of tools say, as part of the head of a session. What one says anew is told at the end. */
export function serverSection(instructions: readonly ServerInstructions[]): HeadSection {
  const sections = instructions.map(
    ({ server, text }): HeadText => ({
      kind: "text",
      text: `# Server ${server}\n\n${text}`,
      provenance: { kind: "tool", name: server },
    }),
  );
  const say = (line: string, said: readonly HeadText[]): readonly HeadText[] | undefined =>
    said.length === 0 ? undefined : [{ kind: "text", text: line }, ...said];
  return {
    text: async () => say(HEAD_LINE, sections),
    changes: async (shown) =>
      say(
        CHANGE_LINE,
        sections.filter((section) => !shown.some((text) => text.includes(section.text))),
      ),
  };
}
