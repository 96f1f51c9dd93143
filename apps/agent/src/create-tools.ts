import { join } from "node:path";
import type { AgentTool } from "./extension/tool.ts";
import { type Checkpoints, createCheckpoints } from "./extensions/checkpoints/checkpoints.ts";
import type { ChangePorts } from "./extensions/files/change-file.ts";
import { editTool } from "./extensions/files/edit.ts";
import type { ShownReads } from "./extensions/files/file-states.ts";
import { readTool } from "./extensions/files/read.ts";
import type { OpenStoredResult } from "./extensions/files/stored-results.ts";
import { writeTool } from "./extensions/files/write.ts";
import { type PlanPorts, planTools } from "./extensions/plan/plan-mode.ts";
import { type AskUser, askUserTool } from "./extensions/questions/ask-user.ts";
import { type Recall, recallTool } from "./extensions/recall/recall.ts";
import { encloseSearch } from "./extensions/search/enclose-search.ts";
import { globTool } from "./extensions/search/glob.ts";
import { grepTool } from "./extensions/search/grep.ts";
import { type BackgroundCommands, createBackgroundCommands } from "./extensions/shell/background-commands.ts";
import { bashTool } from "./extensions/shell/bash.ts";
import { bashOutputTool, killBashTool } from "./extensions/shell/bash-output.ts";
import { findSandbox, type Sandbox } from "./extensions/shell/sandbox.ts";
import { readSkills } from "./extensions/skills/read-skills.ts";
import { skillTool } from "./extensions/skills/skill.ts";
import { todoTool } from "./extensions/todos/todo.ts";
import { webFetchTool } from "./extensions/web/web-fetch.ts";
import type { AgentSettings } from "./permissions/settings.ts";
import { commandEnvironment, type Environment } from "./workspace/command-environment.ts";
import type { PathGuard } from "./workspace/path-guard.ts";

/** What the tools need of the session, the screen and the machine. */
export interface ToolPorts extends PlanPorts {
  readonly guard: PathGuard;
  readonly settings: AgentSettings;
  /** The user's home: where his secrets are. */
  readonly home: string;
  /** Our folder in it. */
  readonly agentHome: string;
  /** The session's own folder in that. */
  readonly sessionFolder: string;
  readonly environment: Environment;
  readonly shownReads: ShownReads;
  readonly recall: Recall;
  /** @default no stored result can be read */
  readonly openResult?: OpenStoredResult;
  /** @default nobody is there to be asked */
  readonly askUser?: AskUser;
}

/** A session beside this one, whose tools do the same for it. */
export interface OtherSession {
  readonly shownReads: ShownReads;
  readonly recall: Recall;
  /** @default no stored result can be read */
  readonly openResult?: OpenStoredResult;
  /** `as-much`: it has seen the files that this session has seen so far. */
  readonly knows: "nothing" | "as-much";
  /** The newest entry of this session: what the other changes in files is taken back with what was said here since. */
  readonly newestEntry: () => number;
}

export interface Tools {
  /** In the order in which they stand in the prompt. */
  readonly tools: readonly AgentTool[];
  /** The same, with the same words, for another session: each edits only what it has read itself. */
  toolsFor(other: OtherSession): readonly AgentTool[];
  readonly rewindFiles: Checkpoints["rewindFiles"];
  /** What encloses commands, or why nothing does: to be told to the user. */
  readonly sandbox: Sandbox;
  readonly background: BackgroundCommands;
  /** Ends what runs in the background. */
  close(): Promise<void>;
}

/** The tools of the coding agent. */
export async function createTools(ports: ToolPorts): Promise<Tools> {
  const { guard, settings, home, agentHome, sessionFolder, environment, shownReads, askUser } = ports;
  const checkpoints = createCheckpoints({ sessionFolder, guard });
  const ownFiles: ChangePorts = { guard, shownReads, states: new Map(), keepBefore: checkpoints.keepBefore };
  const sandbox = await findSandbox({ roots: guard.roots, home, sandboxFolder: join(sessionFolder, "sandbox") });
  const background = createBackgroundCommands(join(sessionFolder, "background"));
  const shell = { guard, sandbox, background, enclosure: settings.sandbox };
  const search = { guard, hidden: hiddenPatterns(settings), startedBy: await encloseSearch(guard.roots) };
  const ofProject = await guard.locate(".palimpsest/skills");
  const skillFolders = [...(ofProject.kind === "inside" ? [ofProject.path] : []), join(agentHome, "skills")];
  const skills = await readSkills(skillFolders);
  const toolsWith = (
    files: ChangePorts,
    { recall, openResult }: Pick<ToolPorts, "recall" | "openResult">,
  ): readonly AgentTool[] => {
    const stored = openResult === undefined ? {} : { openResult };
    return [
      ...[readTool({ ...files, ...stored }), writeTool(files), editTool(files)],
      ...[globTool(search), grepTool({ ...search, ...stored })],
      bashTool({ ...shell, environment: commandEnvironment(environment, settings.keptEnvironment) }),
      ...[bashOutputTool(background), killBashTool(background), todoTool(), askUserTool(askUser)],
      ...[skillTool(skills), ...planTools(ports), recallTool(recall)],
      // Last: whether it is there or not, the others stand where they stood.
      ...(settings.web === "on" ? [webFetchTool()] : []),
    ];
  };
  return {
    tools: toolsWith(ownFiles, ports),
    toolsFor: ({ knows, newestEntry, ...other }) =>
      toolsWith(
        {
          ...{ guard, shownReads: other.shownReads, states: new Map(knows === "nothing" ? [] : ownFiles.states) },
          keepBefore: (change) => checkpoints.keepBefore({ ...change, entry: newestEntry() }),
        },
        other,
      ),
    rewindFiles: checkpoints.rewindFiles,
    ...{ sandbox, background, close: background.close },
  };
}

/** What may not be read may not be found by a search either. */
function hiddenPatterns({ rules }: AgentSettings): readonly string[] {
  return rules.flatMap(({ decision, tool, pattern }) =>
    decision === "deny" && tool === "Read" && pattern !== undefined ? [pattern] : [],
  );
}
