import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { answer, callTool, callTools, inOrder } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { programInPath } from "../testing/program-in-path.ts";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { COMMAND_NAMES, commandsOf, definitionOf, TOP_COMMANDS } from "./definitions.ts";
import { ENDINGS, type Ending, EXIT } from "./exit-codes.ts";
import { commandPage, mainPage, VARIABLES } from "./help.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for this character.
const ESCAPE = /\u001b/;

test("the main page names every command, option, variable, file and exit code", async () => {
  const cli = await startCli(temporaryProject(), () => answer(""));
  const { code, out, said } = await cli.run(["--help"]);
  expect({ code, said }).toEqual({ code: 0, said: "" });
  for (const name of TOP_COMMANDS) {
    expect(out).toContain(definitionOf(name).usage);
    const page = commandPage(name, 120);
    for (const nested of commandsOf(name)) expect(page).toContain(definitionOf(nested).usage);
  }
  expect(TOP_COMMANDS.flatMap((name) => [name, ...commandsOf(name)]).toSorted()).toEqual(COMMAND_NAMES.toSorted());
  for (const option of Object.keys(definitionOf("run").options)) expect(out).toContain(`--${option}`);
  for (const [names] of VARIABLES) expect(out).toContain(names);
  for (const ending of Object.keys(EXIT) as Ending[])
    expect(out).toMatch(
      new RegExp(`^ +${EXIT[ending]} +${ENDINGS[ending].slice(0, 20).replace(/[()]/g, "\\$&")}`, "m"),
    );
  for (const file of ["settings.json", "engine.json", "AGENTS.md"]) expect(out).toContain(file);
  // The page needs no key and no session.
  expect((await cli.run(["help"])).out).toBe(out);
  expect((await cli.run([], { environment: { ANTHROPIC_API_KEY: "" } })).out).toBe(out);
});

test.each(COMMAND_NAMES)("the page of %s has usage, options, valid examples and exit codes", (name) => {
  const { usage, about, options, examples, endings } = definitionOf(name);
  const page = commandPage(name, 120);
  const [first, , second] = page.split("\n");
  expect(first).toBe(`palimpsest ${usage}`);
  expect(about.startsWith(second!)).toBe(true);
  for (const [option, { about: said }] of Object.entries(options)) {
    expect(page).toContain(`--${option}`);
    expect(page).toContain(said.split(" ").slice(0, 3).join(" "));
  }
  expect(examples.length).toBeGreaterThan(0);
  const whole = page.replaceAll(/ \\\n +/g, " ");
  for (const [line] of examples) {
    expect(whole).toContain(line);
    expect(line).toMatch(/\bpalimpsest\b/);
    const used = line.match(/(?<= )--[a-z-]+/g) ?? [];
    expect(used.filter((option) => !Object.hasOwn(options, option.slice(2)))).toEqual([]);
  }
  for (const ending of ["done", "usage", ...endings] as const) expect(page).toContain(`${EXIT[ending]}`.padEnd(5));
});

test.each([80, 100, 112])("every page fits %i columns, with examples that can be copied", (columns) => {
  const pages = [mainPage(columns), ...COMMAND_NAMES.map((name) => commandPage(name, columns))];
  const lines = pages.flatMap((page) => page.split("\n"));
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
  const whole = pages.join("\n").replaceAll(/ \\\n +/g, " ");
  for (const name of COMMAND_NAMES) for (const [line] of definitionOf(name).examples) expect(whole).toContain(line);
});

test("help COMMAND and COMMAND --help print the same page, and fail for an unknown command", async () => {
  const cli = await startCli(temporaryProject(), () => answer(""));
  const page = `${commandPage("doctor", 100)}\n`;
  expect(await cli.run(["doctor", "--help"])).toEqual({ code: 0, out: page, said: "" });
  expect(await cli.run(["doctor", "--live", "-h"])).toEqual({ code: 0, out: page, said: "" });
  expect(await cli.run(["help", "doctor"])).toEqual({ code: 0, out: page, said: "" });
  for (const args of [
    ["docter", "--help"],
    ["help", "docter"],
  ])
    expect(await cli.run(args)).toMatchObject({ code: 2, said: expect.stringContaining("Did you mean doctor?") });
  expect(cli.server.recorder.exchanges).toEqual([]);
});

test("the error for an unknown command names the closest one, even within a group", async () => {
  const cli = await startCli(temporaryProject(), () => answer(""));
  const meant: readonly (readonly [args: readonly string[], hint: string])[] = [
    [["show"], "Did you mean sessions show?"],
    [["dream", "--dry-run"], "Did you mean memory dream?"],
    [["tenant", "list"], "Did you mean database tenants?"],
    [["token", "create"], "Did you mean database tokens?"],
    [["sessions", "shwo"], 'Unknown command "sessions shwo". Did you mean sessions show?'],
    [["database", "migrat", "--dry-run"], "Did you mean database migrate?"],
    [["database"], "The command is missing: palimpsest database migrate"],
  ];
  for (const [args, hint] of meant)
    expect(await cli.run(args)).toMatchObject({ code: 2, said: expect.stringContaining(hint) });
  const page = `${commandPage("sessions show", 100)}\n`;
  expect(await cli.run(["sessions", "show", "--help"])).toEqual({ code: 0, out: page, said: "" });
  expect(await cli.run(["help", "sessions", "show"])).toEqual({ code: 0, out: page, said: "" });
});

test("a reader that stops after one line causes no error", () => {
  const project = temporaryProject();
  const line = "set -o pipefail; palimpsest --help | head -n 1";
  const { status, stdout, stderr } = spawnSync("bash", ["-c", line], {
    cwd: project.folder,
    env: programInPath(project),
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toBe("palimpsest: a coding agent that keeps itself inside its context window\n");
});

/** The `script` of util-linux, which can run a command line. */

test("output is colored on a terminal unless NO_COLOR is set, and never when piped", async () => {
  const project = temporaryProject({ "a.txt": "forty-two\n" });
  const read = callTools(callTool("Read", { file_path: "a.txt" }));
  const cli = await startCli(project, inOrder([read, answer("Read."), read, answer("Read."), read, answer("Read.")]));
  const env = {
    ...programInPath(project),
    TERM: "xterm",
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_BASE_URL: cli.server.url,
  };
  // Not spawnSync, because the simulator answers from this process.
  const onScreen = (environment: Readonly<Record<string, string>>): Promise<string> => {
    const options = { cwd: project.folder, env: { ...env, ...environment } };
    const child = spawn("script", ["-qec", "palimpsest -p 'Read a.txt'", "/dev/null"], options);
    child.stdin.end();
    return text(child.stdout);
  };
  const colored = await onScreen({});
  expect(colored).toContain("> Read a.txt");
  expect(colored).toMatch(ESCAPE);
  const plain = await onScreen({ NO_COLOR: "1" });
  expect(plain).toContain("> Read a.txt");
  expect(plain).not.toMatch(ESCAPE);
  const piped = await cli.run(["-p", "Read a.txt"], { environment: { TERM: "xterm" } });
  expect(piped.said).toContain("> Read a.txt");
  expect(piped.said + piped.out).not.toMatch(ESCAPE);
});
