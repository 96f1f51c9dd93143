import { basename, dirname } from "node:path";
import { asList, asObject, type JsonObject, present } from "palimpsest/schema";
import { readBesideCline } from "./read-beside-cline.ts";
import { readClaudeCode } from "./read-claude-code.ts";
import { readCline } from "./read-cline.ts";
import { readCodex } from "./read-codex.ts";
import { readGemini } from "./read-gemini.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readPi } from "./read-pi.ts";
import { isHead, readProxy } from "./read-proxy.ts";
import { readQwen } from "./read-qwen.ts";
import type { RecordedAgent, RecordedEntry } from "./recorded.ts";

/** A format whose records are lines, or can be cut into lines. */
export interface TranscriptFormat {
  readonly agent: RecordedAgent;
  /** Whether this record can only belong to this format. */
  recognizes(record: JsonObject): boolean;
  /** @param path of the file, if the transcript is one: some agents keep a part of a session in files beside it */
  read(lines: TranscriptLines, path?: string): AsyncGenerator<RecordedEntry>;
}

export const TRANSCRIPT_FORMATS: readonly TranscriptFormat[] = [
  {
    // Before Claude Code, since it uses the same field names; its content is in the form of the Gemini API.
    agent: "qwen",
    recognizes: (record) =>
      isIn(record, "uuid", "sessionId") &&
      (asList(asObject(record["message"])?.["parts"]) !== undefined || "systemPayload" in record),
    read: readQwen,
  },
  {
    agent: "claude-code",
    recognizes: (record) => typeof record["isSidechain"] === "boolean" && isIn(record, "sessionId"),
    read: readClaudeCode,
  },
  {
    agent: "codex",
    recognizes: (record) => record["type"] === "session_meta" && asObject(record["payload"]) !== undefined,
    read: readCodex,
  },
  {
    agent: "pi",
    recognizes: (record) => record["type"] === "session" && isIn(record, "id"),
    read: readPi,
  },
  {
    agent: "gemini",
    recognizes: (record) => isIn(record, "sessionId", "projectHash"),
    // Subagents are in a folder that is named after the session.
    read: (lines, path) => readGemini(lines, present({ parentSession: path && basename(dirname(path)) })),
  },
  { agent: "proxy", recognizes: isHead, read: readProxy },
  {
    agent: "cline",
    recognizes: (record) => isClineHead(record) || isClineMessage(record),
    async *read(lines, path) {
      yield* readCline(lines, path === undefined ? {} : await readBesideCline(path));
    },
  },
];

function isIn(record: JsonObject, ...names: readonly string[]): boolean {
  return names.every((name) => typeof record[name] === "string");
}

/** The object that cline's newer runtime writes before the messages. */
function isClineHead(record: JsonObject): boolean {
  return typeof record["version"] === "number" && isIn(record, "updated_at") && record["messages"] === null;
}

/** Any program may keep such messages; fields that the extension adds identify them. */
function isClineMessage(record: JsonObject): boolean {
  const content = asList(record["content"]);
  const first = asObject(content?.[0])?.["text"];
  const isTask = typeof first === "string" && /^\s*<task>/.test(first);
  return record["role"] === "user" && content !== undefined && (isTask || typeof record["ts"] === "number");
}
