import { join } from "node:path";
import type { RecordedAgent } from "./recorded.ts";

/** The home folder of a user, and the variables that move agents' folders. */
export interface UserHome {
  /** The user's home folder. */
  readonly home: string;
  /** Environment variables that move agents' files. @default none is set */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A folder, and the pattern of session files below it. */
export interface TranscriptPlace {
  readonly folder: string;
  readonly files: readonly string[];
}

/** Folders in which the editors of cline's extension keep extension data. */
const EDITOR_FOLDERS = [
  ".config/Code/User",
  ".config/Code - Insiders/User",
  ".config/VSCodium/User",
  ".config/Cursor/User",
  ".vscode-server/data/User",
  "Library/Application Support/Code/User",
  "Library/Application Support/Cursor/User",
  "AppData/Roaming/Code/User",
  "AppData/Roaming/Cursor/User",
];
const CLINE_TASKS = "tasks/*/api_conversation_history.json";

/** Returns where an agent keeps its sessions, according to its documentation and source. */
export function transcriptPlaces(
  agent: RecordedAgent,
  { home, environment = {} }: UserHome,
): readonly TranscriptPlace[] {
  const at = (variable: string | undefined, ...otherwise: readonly string[]): string =>
    (variable && environment[variable]) || join(home, ...otherwise);
  switch (agent) {
    case "claude-code":
      return [
        {
          folder: join(at("CLAUDE_CONFIG_DIR", ".claude"), "projects"),
          files: ["*/*.jsonl", "*/*/subagents/*.jsonl"],
        },
      ];
    case "codex": {
      const codex = at("CODEX_HOME", ".codex");
      const files = ["**/rollout-*.jsonl", "**/rollout-*.jsonl.zst"];
      return ["sessions", "archived_sessions"].map((name) => ({ folder: join(codex, name), files }));
    }
    case "pi":
      return [{ folder: join(at("PI_CODING_AGENT_DIR", ".pi", "agent"), "sessions"), files: ["**/*.jsonl"] }];
    case "gemini":
      return [
        {
          folder: join(at("GEMINI_CLI_HOME"), ".gemini", "tmp"),
          files: ["*/chats/session-*.jsonl", "*/chats/session-*.json", "*/chats/*/*.jsonl"],
        },
      ];
    case "qwen":
      return [{ folder: join(home, ".qwen", "projects"), files: ["*/chats/*.jsonl", "*/subagents/*/*.jsonl"] }];
    case "opencode":
      return [
        {
          folder: join(at("XDG_DATA_HOME", ".local", "share"), "opencode"),
          files: ["opencode.db", "storage/session/*/*.json"],
        },
      ];
    case "proxy":
      return [{ folder: join(at("PALIMPSEST_HOME", ".palimpsest"), "proxy"), files: ["*.jsonl"] }];
    case "cline":
      return [
        { folder: join(home, ".cline", "data"), files: ["sessions/*/*.messages.json", CLINE_TASKS] },
        ...EDITOR_FOLDERS.map((editor) => ({
          folder: join(home, editor, "globalStorage", "saoudrizwan.claude-dev"),
          files: [CLINE_TASKS],
        })),
      ];
  }
}

/** File names of sessions, in any folder. */
export const TRANSCRIPT_NAME: RegExp =
  /(\.jsonl(\.zst)?|[\\/]chats[\\/]session-[^\\/]+\.json|[\\/]storage[\\/]session[\\/][^\\/]+[\\/][^\\/]+\.json|\.messages\.json|[\\/]api_conversation_history\.json|[\\/]opencode\.db)$/;
