import type { Provider } from "palimpsest";
import type { Agent } from "../../agent/agent.ts";
import type { Project } from "../../commands/open-project.ts";
import type { Terminal } from "../../commands/terminal.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import type { ScreenCommand } from "../commands/screen-command.ts";
import type { Inspection } from "../create-inspection.ts";
import type { Printer } from "../create-printer.ts";
import type { Dialogs } from "../dialogs/create-dialogs.ts";
import type { PromptFile } from "../prompt/prompt-history.ts";
import type { Screen } from "../screen.ts";
import type { Tour } from "../tour.ts";
import type { WaitingInputs } from "../waiting-inputs.ts";
import type { Work } from "../work.ts";

/** The open agent, its session, and all slash commands. Replaced as one value when another session is opened. */
export interface Running {
  readonly agent: Agent;
  readonly session: AgentSession;
  readonly commands: readonly ScreenCommand[];
}

/** Controls the drawing of the screen. */
export interface DrawingPorts {
  readonly show: (what: "conversation" | "transcript") => Promise<void>;
  readonly redraw: () => void;
  /** Leaves the terminal to another program. */
  readonly suspend: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** What every handler of an effect can use. A handler answers with `emit` and never calls another handler. */
export interface HandlerPorts extends Printer, Pick<Screen, "emit" | "state"> {
  readonly project: Project;
  readonly terminal: Terminal;
  readonly provider: Provider;
  readonly listModels: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly drawing: DrawingPorts;
  readonly dialogs: Dialogs;
  /** What waits: messages for the next request of the running turn, commands for its end. */
  readonly waiting: WaitingInputs;
  readonly work: Work;
  readonly history: PromptFile;
  readonly tour: Tour;
  readonly inspection: Inspection;
  /** The agent that is open now. A handler that waits for a long time compares it with its own. */
  readonly running: () => Running;
  /** Opens another session. @param id the session to resume. @default a new session */
  readonly reopen: (id?: string) => Promise<void>;
  readonly leave: () => void;
}
