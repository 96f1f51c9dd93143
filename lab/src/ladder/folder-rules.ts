import { callTool, callTools, type Words } from "@palimpsest/provider-simulator";
import { partPath, writeParts } from "./parts.ts";
import { wordsOf } from "./read-request.ts";
import { readFile } from "./scripted-model.ts";
import type { SentRequest } from "./simulated-models.ts";
import type { Stage } from "./stage.ts";

/** Rules of a folder, and the call that touches a path in that folder. */
interface RuleCase {
  readonly name: string;
  readonly call: Words;
}

/** Begins the word by which a request shows a rule, followed by a name in capital letters. */
export const RULE_MARK = "LADDER-RULE-";

const FILE = "export const a = 1;\n";
const CASES: readonly RuleCase[] = [
  { name: "read", call: callTool("Read", { file_path: "by-read/a.ts" }) },
  { name: "write", call: callTool("Write", { file_path: "by-write/new.ts", content: FILE }) },
  { name: "edit", call: callTool("Edit", { file_path: "by-edit/a.ts", old_string: "a = 1", new_string: "a = 2" }) },
  { name: "cat", call: callTool("Bash", { command: "cat by-cat/a.ts" }) },
  { name: "head", call: callTool("Bash", { command: "head -n 1 by-head/a.ts" }) },
];
/** Enough that a compaction saves something. */
const READS = 4;

export interface FolderRulesResult {
  readonly cases: number;
  /** The cases in which the model did not get the rules. */
  readonly missing: readonly string[];
}

/** Touches a path in each of five folders with rules, and then compacts: the rules of all five are due at once, and again after the compaction. */
export async function runFolderRules(stage: Stage): Promise<FolderRulesResult> {
  const { program, model, sent } = stage;
  writeParts(stage, READS);
  for (const { name } of CASES) stage.write(`by-${name}/a.ts`, FILE);
  for (const { name } of CASES.filter((one) => one.name !== "edit")) writeRules(stage, name);
  // A file is read before it can be changed. The rules of its folder are new, so that only the change can show them.
  model.plan(readFile("by-edit/a.ts"), ...Array.from({ length: READS }, (_, index) => readFile(partPath(index + 1))));
  await program.turns("Look at the project.");
  writeRules(stage, "edit");

  const known = sent.length;
  model.plan(...CASES.map(({ call }) => callTools(call)));
  await program.turns("Change the folders.");
  const [, ...afterCalls] = sent.slice(known).filter(({ kind }) => kind === "main");
  const missing = CASES.flatMap(({ name }, index) => (shows(afterCalls[index], name) ? [] : [name]));

  await program.compact();
  const compacted = sent.length;
  await program.turns("Go on.");
  const after = sent.slice(compacted).find(({ kind }) => kind === "main");
  missing.push(...CASES.flatMap(({ name }) => (shows(after, name) ? [] : [`${name}, after a compaction`])));
  return { cases: 2 * CASES.length, missing };
}

function writeRules({ write }: Stage, name: string): void {
  write(`by-${name}/AGENTS.md`, `${ruleOf(name)}: no default exports in this folder.\n`);
}

function ruleOf(name: string): string {
  return `${RULE_MARK}${name.toUpperCase()}`;
}

function shows(request: SentRequest | undefined, name: string): boolean {
  if (request === undefined) throw new Error(`The program sent no request after the call of "${name}".`);
  return wordsOf(request.body).includes(ruleOf(name));
}
