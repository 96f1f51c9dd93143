import { spawnSync } from "node:child_process";
import { answer } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { programInPath } from "../testing/program-in-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { COMMAND_NAMES, commandsOf, definitionOf, TOP_COMMANDS } from "./definitions.ts";

/** A project with one session, with the program in the PATH and its completion script. */
async function setUp(shell: string) {
  const project = temporaryProject();
  const cli = await startCli(project, () => answer("Hello."));
  expect((await cli.run(["-p", "Hi"])).code).toBe(0);
  const [session] = (await cli.run(["sessions", "--ids"])).out.trim().split("\n");
  const environment = { ...programInPath(project), TERM: "dumb" };
  const { out, code } = await cli.run(["completion", shell]);
  expect(code).toBe(0);
  const script = project.put(`completion.${shell}`, out);
  const run = (lines: string, ...args: string[]): string => {
    const { stdout, stderr } = spawnSync(shell, [...args, "-c", lines], {
      cwd: project.folder,
      env: environment,
      encoding: "utf8",
      timeout: 50_000,
    });
    expect(stderr).toBe("");
    return stdout;
  };
  return { script, run, session: session! };
}

test("bash completes commands, options, their words, and sessions", async () => {
  const { script, run, session } = await setUp("bash");
  /** Collects the completions of each line, whose last word is incomplete. */
  const offered = (...lines: readonly (readonly string[])[]): string[][] => {
    const calls = lines.map(
      (words) =>
        `COMP_WORDS=(palimpsest ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _palimpsest; echo "\${COMPREPLY[*]}"`,
    );
    const out = run([`source '${script}'`, "complete -p palimpsest", ...calls].join("\n"));
    const [registered, ...answers] = out.replace(/\n$/, "").split("\n");
    expect(registered).toBe("complete -F _palimpsest palimpsest");
    return answers.map((answer) => answer.split(" ").filter(Boolean));
  };
  expect(
    offered(
      [""],
      ["do"],
      ["--mode", ""],
      ["--mode", "pl"],
      ["--mode", "=", "acc"],
      ["doctor", "--provider", "openai-"],
      ["sessions", "show", ""],
      ["database", "t"],
      ["memory", "dr"],
      ["sessions", "notes", "--up"],
      ["--resume", session.slice(0, 3)],
      ["-p", "sessions", "--output-form"],
      ["completion", "z"],
      ["-p", ""],
      ["trust", "no"],
    ),
  ).toEqual([
    [...TOP_COMMANDS],
    ["doctor"],
    ["auto", "default", "accept-edits", "plan", "bypass"],
    ["plan"],
    ["accept-edits"],
    ["openai-chat"],
    [session],
    ["tenants", "tokens"],
    ["dream"],
    ["--update"],
    [session],
    ["--output-format"],
    ["zsh"],
    [],
    [],
  ]);
  // Offers every option of every command, and nothing else.
  const all = offered(...COMMAND_NAMES.map((name) => [...name.split(" "), "--"]));
  expect(all).toEqual(
    COMMAND_NAMES.map((name) => [...Object.keys(definitionOf(name).options).map((option) => `--${option}`), "--help"]),
  );
});

test("fish completes the same", async () => {
  const { script, run, session } = await setUp("fish");
  const offered = (line: string): string[] =>
    run(`source '${script}'; complete -C '${line}'`, "--no-config")
      .trim()
      .split("\n")
      .map((each) => each.split("\t")[0]!);
  expect(offered("palimpsest ")).toEqual([...TOP_COMMANDS].toSorted());
  expect(offered("palimpsest database ")).toEqual(
    commandsOf("database")
      .map((name) => name.split(" ")[1])
      .toSorted(),
  );
  expect(offered("palimpsest --mode pl")).toEqual(["plan"]);
  expect(offered("palimpsest -p sessions --output-f")).toEqual(["--output-format"]);
  expect(offered("palimpsest sessions show ")).toEqual([session]);
  expect(offered("palimpsest trust --")).toEqual(["--help", "--yes"]);
});

test("zsh completes the same, in a terminal", async () => {
  const { script, run, session } = await setUp("zsh");
  const lines: readonly (readonly [typed: string, whole: string])[] = [
    ["doc", "doctor "],
    ["--mode pl", "--mode plan "],
    ["doctor --li", "doctor --live "],
    ["sessions sh", "sessions show "],
    ["sessions notes --up", "sessions notes --update "],
    ["sessions show ", `sessions show ${session}`],
  ];
  const out = run(
    [
      "zmodload zsh/zpty; zpty -b shell zsh -f -i",
      `zpty -w shell 'PROMPT=; autoload -Uz compinit && compinit -u -D; source ${script}; bindkey "^I" complete-word; print RE""ADY'`,
      "zpty -r shell out '*READY*'",
      // Waits for each line. A line that is never completed ends the test by its timeout.
      ...lines.map(
        ([typed, whole]) =>
          `zpty -w -n shell 'palimpsest ${typed}'$'\\t'; zpty -r shell out '*${whole}*'; print -r -- '${whole}'; zpty -w -n shell $'\\C-u'`,
      ),
      "zpty -d shell",
    ].join("\n"),
    "-f",
  );
  expect(out.trimEnd().split("\n")).toEqual(lines.map(([, whole]) => whole));
});

test("names an unknown shell, with the known shells", async () => {
  const cli = await startCli(temporaryProject(), () => answer(""));
  expect(await cli.run(["completion", "fisch"])).toMatchObject({
    code: 2,
    said: expect.stringContaining("takes one of bash, zsh, fish"),
  });
  expect(await cli.run(["completion"])).toMatchObject({ code: 2 });
});
