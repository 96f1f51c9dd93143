import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { writeHome } from "../transcripts/write-home.ts";

export interface ProjectHome {
  readonly home: string;
  /** The folder that the sessions took place in. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Adds a session, as lines of one agent. @returns its file */
  addSession(id: string, messages: readonly RecordedText[], cwd?: string): string;
}

export interface RecordedText {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** A home with a session of each agent, made up by us, in a folder that exists. Both are gone after the test. */
export function projectHome(): ProjectHome {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-mcp-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, folder] = [join(base, "home"), join(base, "sums")];
  mkdirSync(folder, { recursive: true });
  writeHome(home);
  for (const name of globSync("**/*.{jsonl,json}", { cwd: home, exclude: ["node_modules"] }).concat(dotFiles(home))) {
    const file = join(home, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("/work/sums", folder));
  }
  return {
    home,
    folder,
    environment: {
      HOME: home,
      PATH: process.env["PATH"] ?? "",
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
    },
    addSession(id, messages, cwd = folder) {
      const file = join(home, ".claude", "projects", "more", `${id}.jsonl`);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, messages.map((message, index) => toLine(id, message, index, cwd)).join(""));
      return file;
    },
  };
}

/** Patterns do not look into folders whose names begin with a dot. */
function dotFiles(home: string): readonly string[] {
  return globSync(".*/**/*.{jsonl,json}", { cwd: home });
}

export function toLine(id: string, { role, text }: RecordedText, index: number, cwd: string): string {
  const message =
    role === "user"
      ? { role, content: text }
      : { role, id: `msg_${index}`, model: "claude-sonnet-4-6", content: [{ type: "text", text }], usage: USAGE };
  const parentUuid = index === 0 ? null : `u${index - 1}`;
  const at = new Date(Date.UTC(2026, 10, 2) + index * 1_000).toISOString();
  const fields = { uuid: `u${index}`, parentUuid, sessionId: id, isSidechain: false, timestamp: at, cwd };
  return `${JSON.stringify({ ...fields, version: "2.1.217", type: role, message })}\n`;
}

const USAGE = { input_tokens: 4, cache_read_input_tokens: 0, cache_creation_input_tokens: 100, output_tokens: 5 };
