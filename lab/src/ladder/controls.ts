import type { ControlFigures } from "./figures.ts";
import { RULE_MARK, runFolderRules } from "./folder-rules.ts";
import { runForks } from "./forks.ts";
import type { Installed } from "./install.ts";
import { judgeFolderRules, judgeForks, judgePause } from "./judge.ts";
import { runPause } from "./pause.ts";
import { nameOf, ROWS } from "./rows.ts";
import type { EditRequest } from "./simulated-models.ts";
import { onStage, type Plants, type Stage } from "./stage.ts";

/** A fault that is planted outside the product, and the figure by which the judge must find it. */
interface Control {
  readonly name: string;
  readonly row: string;
  readonly plants: Plants;
  readonly figure: string;
  /** Runs the scenario that the fault affects, and judges its figures. */
  run(stage: Stage): Promise<readonly string[]>;
}

const CONTROLS: readonly Control[] = [
  {
    name: "a tool missing from a fork",
    row: "agent claude-sonnet-5-5",
    plants: { edit: leaveOutTool },
    figure: "fork_cache_read_pct.agent",
    run: async (stage) => judgeForks({ summary: 100, agent: (await runForks(stage)).agentPct }),
  },
  {
    // Where the provider has edits, clearing in a cold cache makes no proposal, as if the edits claimed all results for themselves.
    name: "a way of clearing that switches another off",
    row: "agent claude-sonnet-5-5",
    plants: {
      patch: {
        file: "palimpsest/dist/shared/engine.js",
        from: 'if (state.cache.status !== "cold") return void 0;',
        to: 'if (state.cache.status !== "cold" || state.model.contextEdits !== "none") return void 0;',
      },
    },
    figure: "stubs_after",
    run: async (stage) => judgePause((await runPause(stage)).figures),
  },
  {
    name: "folder rules left out",
    row: "library claude-sonnet-5-5",
    plants: { edit: leaveOutRules },
    figure: "folder_rules_missing",
    async run(stage) {
      const { cases, missing } = await runFolderRules(stage);
      // Rules that are lost at a compaction could be a fault of the product.
      const atOnce = missing.filter((name) => !name.includes("compaction"));
      return judgeFolderRules({ folder_rules_cases: cases, folder_rules_missing: atOnce.length });
    },
  },
  {
    name: "a cache that stays warm after the pause",
    row: "agent claude-sonnet-5-5",
    plants: { cacheClock: "still" },
    figure: "cache_read_after_pause",
    run: async (stage) => judgePause((await runPause(stage)).figures),
  },
];

/** Plants each fault by itself, and asks the judge. */
export async function runControls(installed: Installed): Promise<readonly ControlFigures[]> {
  const results: ControlFigures[] = [];
  for (const { name, row: rowName, plants, figure, run } of CONTROLS) {
    const row = ROWS.find((one) => nameOf(one) === rowName)!;
    const problems = await onStage({ row, installed, plants }, {}, run);
    results.push({ name, failed: problems.some((problem) => problem.includes(figure)) });
  }
  return results;
}

function leaveOutTool(body: Parameters<EditRequest>[0], kind: Parameters<EditRequest>[1]): typeof body {
  if (kind !== "agent" || !Array.isArray(body["tools"])) return body;
  return { ...body, tools: body["tools"].slice(0, -1) };
}

function leaveOutRules(body: Parameters<EditRequest>[0]): typeof body {
  return JSON.parse(JSON.stringify(body).replaceAll(new RegExp(`${RULE_MARK}[A-Z]+`, "g"), "A rule"));
}
