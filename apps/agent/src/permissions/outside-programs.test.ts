import { expect, test } from "vitest";
import type { Sandbox } from "../sandbox/open-sandbox.ts";
import { exceptionalPrograms, openingText, outsidePrograms } from "./review-permissions.ts";
import { mergeSettings, readSettings } from "./settings.ts";

const NONE = { kind: "none", reason: "bubblewrap is not installed." } as const;
const ENCLOSED: Sandbox = {
  kind: "bubblewrap",
  policy: {} as never,
  enclose: () => Promise.reject(new Error()),
  extent: async () => "complete",
};

const FILE = JSON.stringify({
  hooks: [
    { event: "Stop", command: "notify-send done", sandbox: "off" },
    { event: "PostToolUse", command: ["npx", "prettier"], hosts: ["registry.npmjs.org"] },
  ],
  servers: {
    db: { command: ["db-server"], sandbox: "off", project: "write" },
    gh: { command: ["gh-server"], hosts: ["api.github.com"] },
    web: { url: "https://example.com/mcp" },
  },
});

function settingsOf(from: "user" | "project", sandbox: "required" | "if-present" = "if-present") {
  const { settings: read, problems } = readSettings(FILE, from);
  const { settings } = mergeSettings({ [from]: read, trust: "trusted" });
  return { settings: { ...settings, sandbox }, problems };
}

test("the user's settings can let a hook or a server out of the sandbox, and it is said at the start in one line", () => {
  const { settings, problems } = settingsOf("user");
  expect(problems).toEqual([]);
  expect(outsidePrograms(settings)).toEqual(["hook at Stop: notify-send done", "server db: db-server"]);
  expect(exceptionalPrograms(settings)).toEqual([
    "hook at Stop: notify-send done (outside of the sandbox)",
    "hook at PostToolUse: npx prettier (reaches registry.npmjs.org)",
    "server db: db-server (outside of the sandbox; writes to the project)",
    "server gh: gh-server (reaches api.github.com)",
  ]);
  expect(openingText(settings, ENCLOSED)).toEqual([
    "Outside of the sandbox, as your settings say: hook at Stop: notify-send done; server db: db-server.",
  ]);
});

test("a project cannot, trusted or not", () => {
  const { settings, problems } = settingsOf("project");
  expect(outsidePrograms(settings)).toEqual([]);
  expect(openingText(settings, ENCLOSED)).toEqual([]);
  expect(problems).toEqual([
    expect.stringMatching(/hook at Stop: "sandbox": "off" is not used: only your own settings/),
    expect.stringMatching(/server db: "sandbox": "off" is not used/),
  ]);
});

test("hosts and writing are part of what is trusted", () => {
  const { heldBack } = mergeSettings({ project: readSettings(FILE, "project").settings, trust: "untrusted" });
  expect(heldBack).toContain("hook at PostToolUse: npx prettier (reaches registry.npmjs.org)");
  expect(heldBack).toContain("server gh: gh-server (reaches api.github.com)");
  expect(heldBack).toContain("server db: db-server (writes to the project)");
});

test.each([
  [
    "if-present",
    "auto",
    "Commands have all your rights; none runs unless you allow it. 2 hooks and 2 MCP servers of your settings run without asking.",
  ],
  [
    "if-present",
    "bypass",
    "Commands have all your rights; in the mode bypass they do not ask. 2 hooks and 2 MCP servers of your settings run without asking.",
  ],
  [
    "required",
    "auto",
    'Your settings require one, so no command is run. Hooks and MCP servers run only with "sandbox": "off".',
  ],
] as const)("without a sandbox (%s, %s) every start says what runs", (wanted, mode, text) => {
  const { settings } = settingsOf("user", wanted);
  expect(openingText({ ...settings, mode }, NONE)).toEqual([`No sandbox: bubblewrap is not installed. ${text}`]);
});

test("with nothing to say nothing is said", () => {
  const { settings } = mergeSettings({ trust: "untrusted" });
  expect(openingText(settings, ENCLOSED)).toEqual([]);
  expect(openingText(settings, NONE)).toEqual([
    "No sandbox: bubblewrap is not installed. Commands have all your rights; none runs unless you allow it.",
  ]);
  expect(openingText({ ...settings, sandbox: "required" }, NONE)).toEqual([
    "No sandbox: bubblewrap is not installed. Your settings require one, so no command is run.",
  ]);
  const [hook] = settingsOf("user").settings.hooks;
  expect(openingText({ ...settings, hooks: [hook!] }, NONE).join()).toContain(
    "1 hook of your settings runs without asking.",
  );
});
