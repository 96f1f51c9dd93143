import type { FoundSession } from "../sessions/session.ts";
import type { SessionTool } from "../tool.ts";
import { oneLine, time } from "./answer-text.ts";
import { pagedTool, type ReadingPorts, sessionsFrom } from "./paged-tool.ts";

const TITLE_CHARACTERS = 100;
const FOLDER_CHARACTERS = 120;

/** Lists the sessions. @param scope in words, such as "of /home/me/shop" */
export function listSessionsTool(ports: ReadingPorts, scope: string): SessionTool {
  return pagedTool(ports, {
    name: "sessions",
    title: "List recorded sessions",
    description:
      "Lists the sessions that coding agents recorded in this folder, the newest first: name, start, last use, agent, first " +
      "message. The other tools take the names.",
    fields: {},
    read: ({ sessions, leftOut, start }) => ({
      head: [`${sessions.length} sessions ${scope}. Each row: name, started, last used (UTC), folder, first message.`]
        .concat(leftOutText(leftOut))
        .join("\n"),
      empty: [`There are no sessions ${scope}.`, ...leftOutText(leftOut)].join("\n"),
      pieces: (async function* () {
        for (const session of sessionsFrom(sessions, start)) {
          yield { text: `${rowOf(session)}\n`, at: { session: session.key, entry: 0, character: 0 } };
        }
      })(),
    }),
  });
}

function rowOf({ key, startedAtMs, usedAtMs, cwd = "", title }: FoundSession): string {
  const columns = [
    key,
    time(startedAtMs),
    time(usedAtMs),
    oneLine(cwd, FOLDER_CHARACTERS),
    oneLine(title, TITLE_CHARACTERS),
  ];
  return columns.join(" | ");
}

function leftOutText(leftOut: ReadonlyMap<string, number>): readonly string[] {
  return [...leftOut].map(([why, count]) =>
    why === "no folder"
      ? `${count} sessions are left out: their agent does not record a folder. The user can start the server with --all.`
      : `${count} files could not be read (${why}).`,
  );
}
