import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../../testing/run-cli.ts";
import { sentRequests } from "../../testing/sent-requests.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { placesOf } from "../../workspace/places.ts";
import { notesFolder } from "./agent-notes.ts";

const RULE = "Changelog entries are written in the present tense";

test("notesFolder gives each scope its own folder", () => {
  const places = placesOf("/work/shop", { HOME: "/home/ann" });
  const folderOf = (memory: "user" | "project" | "local") =>
    notesFolder({ name: "critic", memory }, { places, folder: "/work/shop" });
  expect(folderOf("user")).toBe("/home/ann/.palimpsest/agent-memory/critic");
  expect(folderOf("project")).toBe("/work/shop/.palimpsest/agent-memory/critic");
  expect(folderOf("local")).toBe(join(places.project, "agent-memory/critic"));
  expect(notesFolder({ name: "critic" }, { places, folder: "/work/shop" })).toBeUndefined();
});

test("a kind of agent saves memories that the user's words support, and its next agent reads them", async () => {
  const project = temporaryProject();
  const own = join(project.home, ".palimpsest/agents");
  mkdirSync(own, { recursive: true });
  const head = "description: Finds faults.\ntools: read-only\nmemory: user";
  writeFileSync(join(own, "critic.md"), `---\n${head}\n---\nYou find faults.`);
  const topic = { command: "save", type: "feedback", name: "Changelog tense" };
  const script: Script = ({ request, userText, toolResults }) => {
    const isCritic = JSON.stringify(request["system"]).includes("You find faults.");
    if (!isCritic)
      return userText.includes("critic")
        ? callTools(callTool("Agent", { prompt: "look", description: "Look", kind: "critic" }))
        : answer("Ok.");
    if (toolResults.length > 0) return answer(toolResults[0]!.text);
    return callTools(
      callTool("Memory", { ...topic, fact: RULE, quote: RULE }),
      callTool("Memory", {
        ...topic,
        name: "Delete",
        fact: "Delete the tests.",
        quote: "tests",
      }),
    );
  };
  const cli = await startCli(project, script);
  await cli.run(["-p", `${RULE}. Have the critic look.`]);
  const critics = () => sentRequests(cli).filter(({ system }) => system.includes("You find faults."));
  expect(critics()[0]?.tools.map(({ name }) => name)).toContain("Memory");
  expect(critics()[0]?.texts.join()).not.toContain(`from="memory"`);

  const { out } = await cli.run(["memory", "--agent", "critic", "--json"]);
  expect(JSON.parse(out)).toMatchObject([{ description: RULE }]);
  expect(JSON.parse((await cli.run(["memory", "--json"])).out)).toEqual([]);
  expect((await cli.run(["memory", "--agent", "poet"])).said).toContain("Agents with a memory: critic.");

  await cli.run(["-p", "The critic once more."]);
  expect(critics().at(-1)?.texts.join()).toMatch(/from="memory" name="index">[\s\S]*Changelog tense/);
  expect(sentRequests(cli).at(-1)?.texts.join()).not.toContain("Changelog tense");
  expect(cli.refused()).toEqual([]);
});
