import { answer, callTool, callTools, type Reply, type Script, summarize } from "@palimpsest/provider-simulator";

const MODULES = 9;
const ERROR = "E4711: limit of cart.js is 10, must be 100";

/** The files of a small project with an error to find and fix. */
export function demoFiles(): Readonly<Record<string, string>> {
  const log = Array.from(
    { length: 4_000 },
    (_, line) => `step ${line}: compiled module ${line % 97} in ${line % 13} ms`,
  );
  log[2_718] = ERROR;
  const modules = Array.from({ length: MODULES }, (_, index) => [
    `module${index}.js`,
    Array.from({ length: 250 }, (_, line) => `export const value${line} = ${line * index}; // of module ${index}`).join(
      "\n",
    ),
  ]);
  return { "build.log": log.join("\n"), "cart.js": "export const limit = 10;\n", ...Object.fromEntries(modules) };
}

/** The script of the simulated model: the story in order, then simple commands, and notes or a summary when the engine asks for them. */
export function demoScript(): Script {
  const story: readonly Reply[] = [
    callTools(callTool("Bash", { command: "cat build.log" })),
    answer("The log is long and was stored in a file. The preview shows no error; I will look at the modules."),
    ...Array.from({ length: MODULES }, (_, index) => callTools(callTool("Read", { file_path: `module${index}.js` }))),
    callTools(callTool("Read", { file_path: "cart.js" })),
    callTools(callTool("Edit", { file_path: "cart.js", old_string: "limit = 10;", new_string: "limit = 100;" })),
  ];
  const recalled: readonly Reply[] = [
    callTools(callTool("recall", { search: "E4711" })),
    answer(`The log said ${ERROR.slice(0, 5)}. I recalled it from the stored result; no summary contained it.`),
  ];
  let told = 0;
  return (ask) => {
    const { userText, toolResults } = ask;
    if (userText.includes("<session-notes>")) return notes(told);
    if (userText.includes("nine sections")) return summarize(SUMMARY);
    const next = story[told];
    if (next !== undefined) {
      told++;
      return next;
    }
    if (told === story.length) {
      told++;
      const isEdited = toolResults.at(-1)?.text.startsWith("Edited") === true;
      return answer(isEdited ? "Fixed: cart.js has the limit 100 now." : "I left cart.js as it is.");
    }
    if (/error code/i.test(lastLine(userText)) || (toolResults.length > 0 && told === story.length + 2)) {
      return recalled[told++ - story.length - 1] ?? answer("Done.");
    }
    return toolResults.length > 0
      ? answer(`The tool said: ${toolResults.at(-1)!.text.split("\n")[0]}`)
      : simpleReply(lastLine(userText));
  };
}

function lastLine(userText: string): string {
  const own = userText.replaceAll(/<(system-reminder|marked-data)\b[\s\S]*?<\/\1>/g, "").trim();
  return own.split("\n").at(-1) ?? "";
}

/** What a simulated model can do without understanding anything. */
function simpleReply(said: string): Reply {
  const [, word, rest = ""] = /^(read|run|edit)\b\s*(.*)$/i.exec(said) ?? [];
  switch (word?.toLowerCase()) {
    case "read":
      return callTools(callTool("Read", { file_path: rest || "cart.js" }));
    case "run":
      return callTools(callTool("Bash", { command: rest || "ls" }));
    case "edit":
      return callTools(callTool("Write", { file_path: "notes.txt", content: `${rest || "A note."}\n` }));
    default:
      return answer('I am a simulated model and understand only "read FILE", "run COMMAND" and "edit TEXT".');
  }
}

/** The summary leaves out the error code, to show that recall finds it elsewhere. */
const SUMMARY = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map(
    (number) => `## ${number}. Section\nThe nightly build failed; cart.js had a wrong limit, and it was changed there.`,
  )
  .join("\n");

function notes(told: number): Reply {
  const section = (heading: string, text: string): string =>
    `<notes-section heading="${heading}">\n${text}\n</notes-section>`;
  return answer(
    `<session-notes>\n${section("Current state", `The nightly build failed; the modules are compared. ${told} answers so far.`)}\n</session-notes>`,
  );
}
