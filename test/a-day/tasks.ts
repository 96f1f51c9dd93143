/** One thing that the user asks for, and what the model does about it. */
export interface Task {
  readonly ask: string;
  readonly steps: readonly Step[];
  readonly says: string;
}

export interface Step {
  readonly tool: "Read" | "Edit" | "Write" | "Bash" | "Grep";
  readonly input: Readonly<Record<string, unknown>>;
}

type Module = "money" | "words" | "lists" | "dates";

const MODULES: readonly Module[] = ["money", "words", "lists", "dates"];
/** Long enough that some of them fill what may be filled, and short enough to be shown whole. */
const userInstructionsOf = (shop: string): string =>
  Array.from({ length: 700 }, (_, index) => `- ${index + 1}: ${shop} asked for report ${index * 37}.`).join("\n");

/** Where a slow check leaves its mark: git does not look at it. */
export const STARTED = ".check-started";

/** The repository in the morning. */
export const FILES: Readonly<Record<string, string>> = {
  "package.json": '{ "type": "module" }\n',
  ".gitignore": `${STARTED}\n`,
  "README.md": "# Small things for shops\n\nWhat they asked for stands in docs.\n",
  ...Object.fromEntries(
    ["lyon", "turin", "ghent"].map((shop) => [`docs/${shop}.md`, `# Wishes\n\n${userInstructionsOf(shop)}\n`]),
  ),
  ...Object.fromEntries(MODULES.map((name) => [`src/${name}.js`, "// end\n"])),
  "test/all.test.js": `import assert from "node:assert";
import { test } from "node:test";
${MODULES.map((name) => `import * as ${name} from "../src/${name}.js";`).join("\n")}

const CHECKS = [
  // next
];
test("all of it", () => {
  for (const [found, expected] of CHECKS) assert.deepEqual(found(), expected);
});
`,
  // The first time it takes long; whoever asks again has the answer at once.
  "check-slowly.js": `import { existsSync, writeFileSync } from "node:fs";
const isFirst = !existsSync("${STARTED}");
writeFileSync("${STARTED}", "");
if (isFirst) await new Promise((resolve) => setTimeout(resolve, 10_000));
console.log("checked slowly");
`,
};

const read = (file_path: string): Step => ({ tool: "Read", input: { file_path } });
const edit = (file_path: string, old_string: string, new_string: string): Step => ({
  tool: "Edit",
  input: { file_path, old_string, new_string },
});
const write = (file_path: string, content: string): Step => ({ tool: "Write", input: { file_path, content } });
const bash = (command: string): Step => ({ tool: "Bash", input: { command } });

function look(ask: string, ...paths: readonly string[]): Task {
  return { ask, steps: paths.map(read), says: "I have looked at it." };
}

/** A new function with its check, and a run of the tests. */
function add(module: Module, name: string, body: string, call: string, result: string): Task {
  const [code, tests] = [`src/${module}.js`, "test/all.test.js"];
  return {
    ask: `add ${name} to ${module}, so that ${name}${call} is ${result}.`,
    steps: [
      ...[read(code), edit(code, "// end\n", `export const ${name} = ${body};\n// end\n`)],
      ...[read(tests), edit(tests, "  // next\n", `  [() => ${module}.${name}${call}, ${result}],\n  // next\n`)],
      bash("node --test"),
    ],
    says: `${name} is there, and tested.`,
  };
}

function rename(module: Module, from: string, to: string): Task {
  const paths = [`src/${module}.js`, "test/all.test.js"];
  const replaced = { old_string: `${from}`, new_string: to, replace_all: true };
  return {
    ask: `call ${from} in ${module} ${to}.`,
    steps: [
      { tool: "Grep", input: { pattern: from } },
      ...paths.flatMap((path): Step[] => [read(path), { tool: "Edit", input: { file_path: path, ...replaced } }]),
      bash("node --test"),
    ],
    says: `It is called ${to} now.`,
  };
}

function describe(path: string, content: string): Task {
  return { ask: `write down in ${path} where we are.`, steps: [write(path, content)], says: "It is written down." };
}

/** The user thinks better of it later. */
function rewrite(path: string, content: string): Task {
  return { ask: `write ${path} anew.`, steps: [read(path), write(path, content)], says: "It is another now." };
}

function checkSlowly(task: Task): Task {
  return { ...task, steps: [...task.steps, bash("node check-slowly.js"), bash("node --test")] };
}

/** What is asked all day, one turn each. */
export const TASKS: readonly Task[] = [
  look("what is this project?", "README.md", "docs/lyon.md"),
  add("money", "net", "(gross, rate) => gross / (1 + rate)", "(120, 0.2)", "100"),
  add("money", "gross", "(net, rate) => net * (1 + rate)", "(100, 0.5)", "150"),
  add("words", "shout", "(text) => text.toUpperCase()", '("low")', '"LOW"'),
  add("words", "initials", '(name) => name.split(" ").map(([first]) => first).join("")', '("Ada Lovelace")', '"AL"'),
  look("who asked for reports?", "docs/turin.md", "docs/lyon.md"),
  add("lists", "last", "(list) => list.at(-1)", "([1, 2, 3])", "3"),
  add("lists", "sum", "(list) => list.reduce((total, one) => total + one, 0)", "([1, 2, 3])", "6"),
  add("dates", "isLeap", "(year) => new Date(year, 1, 29).getMonth() === 1", "(2024)", "true"),
  rename("words", "shout", "louder"),
  add("money", "round", "(amount) => Math.round(amount * 100) / 100", "(1.239)", "1.24"),
  look("which shop asks most?", "docs/ghent.md", "src/money.js"),
  add("lists", "unique", "(list) => [...new Set(list)]", "([1, 1, 2])", "[1, 2]"),
  add("words", "plural", '(word) => word + "s"', '("till")', '"tills"'),
  describe("docs/status.md", "# Where we are\n\nMoney, words, lists and dates are begun.\n"),
  add("dates", "quarter", "(month) => Math.ceil(month / 3)", "(7)", "3"),
  add("lists", "count", "(list, one) => list.filter((other) => other === one).length", "([1, 2, 1], 1)", "2"),
  look("is there anything of Turin left?", "docs/turin.md"),
  add("money", "share", "(total, people) => total / people", "(90, 3)", "30"),
  add("words", "reversed", '(word) => [...word].reverse().join("")', '("abc")', '"cba"'),
  add("dates", "century", "(year) => Math.ceil(year / 100)", "(1999)", "20"),
  rename("lists", "count", "tally"),
  add("lists", "pairs", "(list) => list.map((one, index) => [index, one])", '(["a"])', '[[0, "a"]]'),
  describe("docs/status.md", "# Where we are\n\nRenamed what was named badly.\n"),
  rewrite("src/money.js", "export const net = () => 0;\n// end\n"),
  { ask: "make a module for cents.", steps: [write("src/cents.js", "export const cents = 100;\n")], says: "Made." },
  add("words", "wrong", '() => "wrong"', "()", '"wrong"'),
  add("money", "discount", "(price, percent) => price * (1 - percent / 100)", "(200, 25)", "150"),
  add("lists", "chunk", "(list, size) => [list.slice(0, size), list.slice(size)]", "([1, 2, 3], 2)", "[[1, 2], [3]]"),
  look("what is still to be done?", "docs/status.md", "src/lists.js"),
  add("dates", "weeks", "(days) => Math.floor(days / 7)", "(15)", "2"),
  add("words", "repeat", "(word, times) => word.repeat(times)", '("ab", 2)', '"abab"'),
  rename("dates", "century", "centuryOf"),
  add("money", "tip", "(bill, percent) => bill * (percent / 100)", "(50, 10)", "5"),
  checkSlowly(add("lists", "without", "(list, one) => list.filter((other) => other !== one)", "([1, 2], 1)", "[2]")),
  add("words", "isPalindrome", '(word) => word === [...word].reverse().join("")', '("anna")', "true"),
  add("dates", "minutes", "(hours) => hours * 60", "(2)", "120"),
  add("lists", "largest", "(list) => Math.max(...list)", "([1, 5, 2])", "5"),
  describe("docs/status.md", "# Where we are\n\nDone for today.\n"),
  look("is all of it there?", "src/money.js", "src/words.js", "src/lists.js", "src/dates.js"),
];
