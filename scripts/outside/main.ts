import { fileURLToPath } from "node:url";
import { tryClaudeAgentSdk } from "./claude-agent-sdk.ts";
import { tryOpenClaw } from "./openclaw.ts";
import { tryOpencode } from "./opencode.ts";
import { tryPiCodingAgent } from "./pi-coding-agent.ts";

/** Agents that are too large to be installed with the workspace, and the releases that the door was made for: newest, then oldest. */
const OUTSIDE = {
  "claude-agent-sdk": { run: tryClaudeAgentSdk, versions: ["0.3.325"] },
  openclaw: { run: tryOpenClaw, versions: ["2026.9.6"] },
  opencode: { run: tryOpencode, versions: ["1.18.34"] },
  "pi-coding-agent": { run: tryPiCodingAgent, versions: ["0.87.1"] },
} as const;

const root = fileURLToPath(new URL("../../", import.meta.url));
const wanted = process.argv[2] ?? "";
for (const [name, { run, versions }] of Object.entries(OUTSIDE)) {
  if (!name.includes(wanted)) continue;
  for (const version of versions) await run(root, version);
}
