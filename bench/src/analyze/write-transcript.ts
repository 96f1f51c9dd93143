import { once } from "node:events";
import { createWriteStream } from "node:fs";

const WORDS =
  "const return import function value index length string number await error result path file line test case if else for while map filter the of and to a in is that it with as on be by this from or an are not have".split(
    " ",
  );
const TOOLS = ["Read", "Bash", "Grep", "Edit"] as const;
const MODEL = "claude-opus-4-6";
const WINDOW_TOKENS = 160_000;
const FIXED_TOKENS = 30_000;

/** Whole numbers that look random and are the same every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Writes a session in the form of Claude Code, with long results, pauses, compactions and files that are read again. */
export async function writeTranscript(path: string, megabytes: number): Promise<void> {
  const file = createWriteStream(path);
  const random = numbers(7);
  const textOf = (words: number): string =>
    Array.from({ length: words }, (_, index) => WORDS[random(WORDS.length)]! + (index % 12 === 11 ? "\n" : "")).join(
      " ",
    );
  const files = Array.from({ length: 200 }, (_, index) => ({
    path: `/work/src/part-${index}.ts`,
    text: textOf(400 + random(2_000)),
  }));
  let [bytes, number, nowMs, parent, contextTokens, cachedTokens] = [
    0,
    0,
    Date.parse("2026-01-01"),
    "",
    FIXED_TOKENS,
    0,
  ];

  async function write(fields: object): Promise<void> {
    number++;
    nowMs += 1_000 + random(4_000);
    const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    const common = {
      parentUuid: parent || null,
      isSidechain: false,
      sessionId: "5e55",
      cwd: "/work",
      version: "2.1.100",
    };
    const line = `${JSON.stringify({ ...common, uuid, timestamp: new Date(nowMs).toISOString(), ...fields })}\n`;
    parent = uuid;
    bytes += line.length;
    if (!file.write(line)) await once(file, "drain");
  }
  const say = (content: unknown, fields: object = {}): Promise<void> =>
    write({ type: "user", message: { role: "user", content }, ...fields });

  await say(textOf(60));
  while (bytes < megabytes * 1_000_000) {
    if (random(40) === 0) {
      if (random(3) === 0) nowMs += 600_000;
      await say(textOf(40));
    }
    const name = TOOLS[random(TOOLS.length)]!;
    const chosen = files[random(files.length)]!;
    const id = `toolu_${number}`;
    const input = name === "Bash" ? { command: `npm test ${number}` } : { file_path: chosen.path, pattern: textOf(3) };
    const isCold = nowMs % 7 === 0;
    const [read, written] = isCold ? [0, contextTokens] : [cachedTokens, Math.max(0, contextTokens - cachedTokens)];
    const usage = {
      input_tokens: 4,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: 150,
    };
    const message = { id: `msg_${number}`, role: "assistant", model: MODEL, stop_reason: "tool_use", usage };
    await write({ type: "assistant", message: { ...message, content: [{ type: "text", text: textOf(30) }] } });
    await write({ type: "assistant", message: { ...message, content: [{ type: "tool_use", id, name, input }] } });
    cachedTokens = contextTokens;
    const text =
      name === "Read" ? chosen.text : name === "Edit" ? "The file was changed." : textOf(200 + random(1_200));
    // As the agent does it, the result stands in the line twice.
    await say([{ type: "tool_result", tool_use_id: id, content: text }], { toolUseResult: { stdout: text } });
    contextTokens += 200 + Math.ceil(text.length / 4);
    if (contextTokens > WINDOW_TOKENS) {
      const compactMetadata = { trigger: "auto", preTokens: contextTokens };
      await write({ type: "system", subtype: "compact_boundary", compactMetadata, logicalParentUuid: parent });
      await say(textOf(1_500), { isCompactSummary: true });
      contextTokens = FIXED_TOKENS + 3_000;
      cachedTokens = FIXED_TOKENS;
    }
  }
  file.end();
  await once(file, "close");
}
