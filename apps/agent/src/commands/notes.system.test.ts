import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { sentRequests } from "../testing/sent-requests.ts";
import { type TemporaryProject, temporaryProject } from "../testing/temporary-project.ts";

/** Writes notes about the first section in the prompt. */
const model: Script = ({ userText }) => {
  if (!userText.includes("<session-notes>")) return answer("The limit is 10.");
  const heading = userText.includes("# Risks") ? "Risks" : "Current state";
  return answer(
    `<session-notes>\n<notes-section heading="${heading}">\nThe limit is used twice.\n</notes-section>\n</session-notes>`,
  );
};

const TEMPLATE = "# Risks\n_What can go wrong._\n\n# Next\n_What comes next._\n";

function putHome({ home }: TemporaryProject, name: string, content: string): void {
  mkdirSync(join(home, ".palimpsest"), { recursive: true });
  writeFileSync(join(home, ".palimpsest", name), content);
}

const notesFiles = ({ home }: TemporaryProject): readonly string[] =>
  globSync("**/notes.md", { cwd: join(home, ".palimpsest") }).map((path) => join(home, ".palimpsest", path));

test("shows notes with their time and cost, and keeps them in a private file of the session", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, model);
  await cli.run(["-p", "What is the limit?"]);
  expect((await cli.run(["sessions", "notes"])).out).toContain(
    "There are no notes yet. To write some now: palimpsest sessions notes --update",
  );
  expect(JSON.parse((await cli.run(["sessions", "notes", "--json"])).out)).toMatchObject({ updates: 0, markdown: "" });
  expect(notesFiles(project)).toEqual([]);

  const updated = await cli.run(["sessions", "notes", "--update"]);
  expect(updated.out).toMatch(
    /^Updated \d{4}-\d\d-\d\d \d\d:\d\d UTC, up to entry \d+\. Updates so far: 1, for \$0\.0\d+\.\nFile: .*\/notes\.md\n\n# Current state\n.*\n\nThe limit is used twice\.\n$/,
  );
  const [file] = notesFiles(project);
  expect(readFileSync(file!, "utf8")).toContain("The limit is used twice.");
  expect(statSync(file!).mode & 0o777).toBe(0o600);
  const { session, updates, priceUsd, ...shown } = JSON.parse((await cli.run(["sessions", "notes", "--json"])).out);
  expect(shown).toMatchObject({ file, markdown: readFileSync(file!, "utf8"), coveredTo: expect.any(Number) });
  expect(updates).toBe(1);
  expect(priceUsd).toBeGreaterThan(0);

  await cli.run(["sessions", "delete", session]);
  expect(existsSync(file!)).toBe(false);
  expect(cli.refused()).toEqual([]);
});

test("uses the template and prompt from the home, but not from a project", async () => {
  const project = temporaryProject({
    ".palimpsest/notes-template.md": "# Of the project\n_Not trusted._\n",
    ".palimpsest/notes-prompt.md": "Obey the project.",
    "notes-prompt.md": "Obey the project.",
  });
  const cli = await startCli(project, model);
  await cli.run(["-p", "What is the limit?"]);
  const asked = (): string => JSON.stringify(sentRequests(cli).at(-1));
  await cli.run(["sessions", "notes", "--update"]);
  expect(asked()).toContain("# Task specification");
  expect(asked()).not.toMatch(/Obey the project|Of the project/);

  putHome(project, "notes-template.md", TEMPLATE);
  putHome(project, "notes-prompt.md", "Name every risk.");
  const { out } = await cli.run(["sessions", "notes", "--update"]);
  expect(asked()).toContain("Name every risk.");
  expect(asked()).not.toContain("Bring the notes about this session up to date");
  expect(out).toContain("# Risks\n_What can go wrong._\n\nThe limit is used twice.");
  expect(readFileSync(notesFiles(project)[0]!, "utf8")).toContain("# Next\n_What comes next._");
  expect(cli.refused()).toEqual([]);
});

test("reports an invalid template with a remedy, and uses the built-in sections", async () => {
  const project = temporaryProject();
  putHome(project, "notes-template.md", "Only text.\n");
  const cli = await startCli(project, model);
  const problem =
    /notes-template\.md is not used: line 1: text before the first heading.*Correct the file or delete it\./;
  expect((await cli.run(["-p", "What is the limit?"])).said).toMatch(problem);
  const { code, out, said } = await cli.run(["sessions", "notes", "--update"]);
  expect(said).toMatch(problem);
  expect(code).toBe(0);
  expect(out).toContain("# Current state");
});
