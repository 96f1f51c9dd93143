import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  findAgentTranscripts,
  findTranscripts,
  RECORDED_AGENTS,
  type RecordedBlock,
  type RecordedEntry,
  readTranscript,
  SeveralSessionsError,
  type TranscriptReference,
  UnknownTranscriptError,
} from "@palimpsest/observe";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeHome } from "./write-home.ts";

let home: string;
beforeAll(() => {
  home = writeHome(mkdtempSync(join(tmpdir(), "palimpsest-home-")));
});
afterAll(() => rmSync(home, { recursive: true }));

const relative = ({ path, session }: TranscriptReference): string =>
  `${path.slice(home.length + 1)}${session === undefined ? "" : `#${session}`}`;

describe("what agents leave on a machine", () => {
  test.each([
    ["claude-code", 2],
    ["codex", 2],
    ["pi", 1],
    ["gemini", 3],
    ["qwen", 1],
    ["opencode", 3],
    ["cline", 2],
    ["proxy", 1],
  ] as const)("is found for %s, and is read without damage", async (agent, count) => {
    const found = await Array.fromAsync(findAgentTranscripts(agent, { home }));
    expect(found).toHaveLength(count);
    for (const reference of found) {
      const entries = await Array.fromAsync(readTranscript(reference));
      expect(entries[0]).toMatchObject({ kind: "session", agent });
      expect(entries.filter(({ kind }) => kind === "damage")).toEqual([]);
    }
  });

  test("tells the same story, whoever recorded it", async () => {
    for (const agent of RECORDED_AGENTS) {
      const [first] = await Array.fromAsync(findAgentTranscripts(agent, { home }));
      const entries = await Array.fromAsync(readTranscript(first!));
      const blocks = entries.flatMap((entry) => (entry.kind === "message" ? entry.blocks : []));
      const read = blocks.find((block) => block.kind === "tool_call");
      expect(JSON.stringify(read)).toMatch(/add\.js/);
      expect(JSON.stringify(blocks.find((block) => block.kind === "tool_result"))).toContain("return a + b + 1;");
      expect(entries.filter(({ kind }) => kind === "usage").length).toBeGreaterThanOrEqual(2);
      expect(entries.filter(({ kind }) => kind === "compaction")).toHaveLength(1);
      expect(JSON.stringify(entries)).toContain("the stray + 1 was found");
    }
  });

  test("is found below any folder, each once, and nothing where there is nothing", async () => {
    const found = (await Array.fromAsync(findTranscripts(home))).map(relative);
    const known: string[] = [];
    for (const agent of RECORDED_AGENTS) {
      for await (const reference of findAgentTranscripts(agent, { home })) known.push(relative(reference));
    }
    expect(found.toSorted()).toEqual(known.toSorted());
    expect(await Array.fromAsync(findAgentTranscripts("codex", { home: join(home, "nobody") }))).toEqual([]);
    await expect(findTranscripts(join(home, "nobody")).next()).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("is found where a variable says that it is kept", async () => {
    const environment = { CODEX_HOME: join(home, ".codex") };
    expect(await Array.fromAsync(findAgentTranscripts("codex", { home: "/nobody", environment }))).toHaveLength(2);
  });

  test("a database with several sessions is asked for one of them", async () => {
    const path = join(home, ".local/share/opencode/opencode.db");
    const error = await readTranscript(path)
      .next()
      .catch((caught: unknown) => caught);
    expect(SeveralSessionsError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ sessions: ["ses_1", "ses_2"] });
    const unknown = readTranscript({ path, session: "ses_9" }).next();
    await expect(unknown).rejects.toSatisfy((thrown) => UnknownTranscriptError.isInstance(thrown));
  });
});

/** Every text of what was read, line by line: what the agent, the user or a tool has said. */
function textsOf(entries: readonly RecordedEntry[]): string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") texts.push(...value.split("\n"));
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  for (const entry of entries) {
    const messages = entry.kind === "message" ? [entry] : [];
    const kept = entry.kind === "compaction" && entry.kept.kind === "replacement" ? entry.kept.messages : [];
    for (const { blocks } of [...messages, ...kept]) {
      // Kinds, types and states are our own words.
      for (const block of blocks) collect(withoutOurWords(block));
    }
  }
  return texts.filter((text) => text !== "");
}

function withoutOurWords(block: RecordedBlock): unknown {
  if (block.kind === "opaque") return block.value;
  if (block.kind === "image" || block.kind === "document") return block.sizeBytes;
  if (block.kind !== "tool_result") return { ...block, kind: undefined };
  const { callId, content } = block;
  return { callId, content: typeof content === "string" ? content : content.map(withoutOurWords) };
}

/** What can be read of a file, or nothing if it is of no known format any more. */
async function readDamaged(reference: TranscriptReference): Promise<RecordedEntry[]> {
  try {
    return await Array.fromAsync(readTranscript(reference));
  } catch (error) {
    if (UnknownTranscriptError.isInstance(error) || SeveralSessionsError.isInstance(error)) return [];
    throw error;
  }
}

describe("a transcript that was damaged", () => {
  // One file of each format, with what stands beside it left as it is.
  const PATHS = [
    ".claude/projects/-work-sums/c1a0de00-0000-4000-8000-000000000001.jsonl",
    ".codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-019a5c00.jsonl",
    ".codex/archived_sessions/rollout-2026-10-01T10-00-00-019a5c00.jsonl.zst",
    ".pi/agent/sessions/--work-sums--/2026-11-01.jsonl",
    ".gemini/tmp/abc/chats/session-2026-11-01T10-00-5e551011.jsonl",
    ".gemini/tmp/abc/chats/session-2026-10-01T10-00-5e551011.json",
    ".qwen/projects/-work-sums/chats/7e11ab1e.jsonl",
    ".cline/data/tasks/1793527200000/api_conversation_history.json",
    ".cline/data/tasks/1793527200000/ui_messages.json",
    ".cline/data/sessions/sess1/sess1.messages.json",
    ".palimpsest/proxy/2026-11-01T10-00-00-000Z-9b1de0d1.jsonl",
    ".local/share/opencode/opencode.db",
    ".local/share/opencode/storage/session/global/ses_files.json",
    ".local/share/opencode/storage/message/ses_files/msg_1.json",
    ".local/share/opencode/storage/part/msg_1/prt_2.json",
  ];
  /** What is read when this file is damaged. */
  const readerOf = (path: string): TranscriptReference => {
    const at = (name: string): string => join(home, name);
    if (path.endsWith("ui_messages.json")) return { path: at(path.replace("ui_messages", "api_conversation_history")) };
    if (path.includes("/storage/")) return { path: at(".local/share/opencode/storage/session/global/ses_files.json") };
    return path.endsWith(".db") ? { path: at(path), session: "ses_1" } : { path: at(path) };
  };

  async function withDamage(path: string, bytes: Uint8Array, check: (entries: RecordedEntry[]) => void): Promise<void> {
    const whole = readFileSync(join(home, path));
    try {
      writeFileSync(join(home, path), bytes);
      check(await readDamaged(readerOf(path)));
    } finally {
      writeFileSync(join(home, path), whole);
    }
  }

  test.each(PATHS)("is read up to where it was cut, and nothing is added: %s", async (path) => {
    const whole = readFileSync(join(home, path));
    const said = new Set(textsOf(await readDamaged(readerOf(path))));
    expect(said.size).toBeGreaterThan(3);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length }), (size) =>
        withDamage(path, whole.subarray(0, size), (entries) => {
          expect(textsOf(entries).filter((text) => !said.has(text))).toEqual([]);
        }),
      ),
      { numRuns: 40 },
    );
  });

  test.each(PATHS)("says nothing that is not in it, whatever its bytes became: %s", async (path) => {
    const whole = readFileSync(join(home, path));
    const beside = textsOf(await readDamaged(readerOf(path)));
    const garbage = fc.record({
      at: fc.nat({ max: whole.length }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    });
    const edit = fc.record({ garbage, mode: fc.constantFrom("over", "between", "instead of the rest") });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        let bytes: Buffer = Buffer.from(whole);
        for (const { garbage: found, mode } of edits) {
          const rest = mode === "over" ? found.at + found.bytes.length : mode === "between" ? found.at : bytes.length;
          bytes = Buffer.concat([bytes.subarray(0, found.at), found.bytes, bytes.subarray(rest)]);
        }
        // A text that was hit is what the file holds now, as JSON writes it; others are as they were.
        const held = bytes.toString("utf8");
        await withDamage(path, bytes, (entries) => {
          const added = textsOf(entries).filter((text) => !beside.includes(text) && !isIn(held, text));
          // What other compressed bytes stand for cannot be seen in them.
          if (!path.endsWith(".zst")) expect(added).toEqual([]);
        });
      }),
      { numRuns: 30 },
    );
  });
});

/**
 * Whether a document holds a text, escaped once or twice: the arguments of a tool call may be JSON in a JSON string, and are
 * shown as the string if they can no longer be parsed. Bytes that are no UTF-8 become other characters, so only ASCII counts.
 */
function isIn(document: string, text: string): boolean {
  const ascii = (value: string): string => value.replaceAll(/[^\x20-\x7e]/g, "");
  const once = unescaped(document);
  return [document, once, unescaped(once)].some((held) => ascii(held).includes(ascii(text)));
}

/** The document with each escape of JSON replaced by its character. */
function unescaped(document: string): string {
  return document.replaceAll(/\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/g, (escaped) => JSON.parse(`"${escaped}"`) as string);
}
