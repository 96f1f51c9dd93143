/** A made-up session of an agent that reads, edits and tests one file after another, as lines of a Claude Code transcript. */
export interface SampleTranscript {
  readonly rounds: number;
  /** Between two requests of a turn. @default 20 */
  readonly seconds?: number;
  /** Every so many rounds the turn ends, and the user says something after this many minutes. @default every 12, 7 */
  readonly turns?: { readonly everyRounds: number; readonly afterMinutes: number };
  /** Lines of each file. @default 120 */
  readonly lines?: number;
  /** Of the system prompt and the tools, as the provider counted them. @default 20,000 */
  readonly headTokens?: number;
  /** The characters of the signature of the thinking in each response. @default no thinking */
  readonly signatureCharacters?: number;
}

const CWD = "/repo";
const BYTES_PER_TOKEN = 3;
const TOKENS_PER_SIGNATURE_CHARACTER = 0.19;

/** What it used is what a provider would have counted of what stands in it: three bytes a token. */
export function sampleTranscript(options: SampleTranscript): string {
  const { rounds, seconds = 20, lines = 120, headTokens = 20_000, signatureCharacters = 0 } = options;
  const turns = options.turns ?? { everyRounds: 12, afterMinutes: 7 };
  const records: object[] = [];
  let [second, context, last] = [0, headTokens, 0];
  const count = (text: string): void => {
    context += Math.ceil(text.length / BYTES_PER_TOKEN) + 4;
  };
  const add = (record: object): void => {
    const uuid = `u${records.length + 1}`;
    const parentUuid = records.length === 0 ? null : `u${records.length}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
    const common = { uuid, parentUuid, timestamp, sessionId: "sample", isSidechain: false, cwd: CWD, version: "2.1.0" };
    records.push({ ...common, ...record });
  };
  const say = (content: string): void => {
    add({ type: "user", message: { role: "user", content } });
    count(content);
  };
  const respond = (round: number, block: Readonly<Record<string, unknown>>): void => {
    const usage = { input_tokens: 0, cache_read_input_tokens: last, cache_creation_input_tokens: context - last };
    last = context;
    const thinking = { type: "thinking", thinking: "", signature: "s".repeat(signatureCharacters) };
    if (signatureCharacters > 0) context += Math.ceil(signatureCharacters * TOKENS_PER_SIGNATURE_CHARACTER) + 4;
    const message = {
      id: `r${round}`,
      role: "assistant",
      model: "m",
      content: signatureCharacters > 0 ? [thinking, block] : [block],
      usage: { ...usage, output_tokens: 50 },
    };
    add({ type: "assistant", message });
    count(block["type"] === "tool_use" ? `${block["name"]}${JSON.stringify(block["input"])}` : String(block["text"]));
  };
  const answerCall = (id: string, content: string): void => {
    add({ type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] } });
    count(content);
  };

  say("Give every module a limit that is checked, and test each.");
  for (let round = 0; round < rounds; round++) {
    second += seconds;
    const id = `c${round}`;
    if (round % turns.everyRounds === turns.everyRounds - 1) {
      respond(round, { type: "text", text: `Module ${round} is done.` });
      second += turns.afterMinutes * 60;
      say(`Go on with the next one, after ${round}.`);
    } else if (round % 3 === 0) {
      respond(round, { type: "tool_use", id, name: "Read", input: { file_path: fileOf(round) } });
      answerCall(id, contentOf(round, lines));
    } else if (round % 3 === 1) {
      // Now and then it goes back to a file that it read long ago.
      const read = round % 9 === 7 && round > 9 ? round - 1 - 9 : round - 1;
      const old_string = lineOf(read, lines - 1);
      const file_path = fileOf(read);
      const input = { file_path, old_string, new_string: `${old_string} // checked ${round}` };
      respond(round, { type: "tool_use", id, name: "Edit", input });
      answerCall(id, "The file was updated.");
    } else {
      respond(round, { type: "tool_use", id, name: "Bash", input: { command: `mise run test module_${round}` } });
      answerCall(id, `ok: ${"passed ".repeat(lines)}`);
    }
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

function fileOf(round: number): string {
  return `${CWD}/src/module_${Math.floor(round / 3)}.ts`;
}

function contentOf(round: number, lines: number): string {
  return Array.from({ length: lines }, (_, index) => `${String(index + 1).padStart(6)}\t${lineOf(round, index)}`).join(
    "\n",
  );
}

function lineOf(round: number, index: number): string {
  return `export const limitOf${round}x${index} = checkedLimit(${round * 31 + index});`;
}
