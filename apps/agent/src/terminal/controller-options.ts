import type { Provider } from "palimpsest";
import type { Agent, AgentOptions } from "../agent/agent.ts";
import type { Project } from "../commands/open-project.ts";
import type { Terminal } from "../commands/terminal.ts";
import type { DrawingPorts } from "./perform-effect.ts";
import type { Screen } from "./screen.ts";
import type { Effect } from "./screen-event.ts";
import type { TourStep } from "./tour.ts";

export interface ControllerOptions extends DrawingPorts {
  readonly project: Project;
  readonly terminal: Terminal;
  readonly provider: Provider;
  readonly model: string;
  /** Opens the agent. @param id the session to resume. @default a new session */
  readonly open: (ports: ScreenPorts, model: string, id?: string) => Promise<Agent>;
  /** Asks the provider for the ids of its models. */
  readonly listModels: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Leads the person through steps. @default none */
  readonly tour?: readonly TourStep[] | undefined;
  readonly screen: () => Screen;
}

/** The functions that the agent calls on the screen. */
export type ScreenPorts = Required<Pick<AgentOptions, "person" | "onEvent" | "startedBy">>;

/** Carries out the actions of the screen. No other part of the terminal changes the session. */
export interface Controller {
  start(start: SessionStart): Promise<void>;
  act(effect: Effect): void;
  /** Resolves when the user exits. */
  readonly left: Promise<void>;
  /** Closes the session. Resolves to what is printed at the end. */
  close(): Promise<string | undefined>;
}

/** A new session, one to resume by its id, or one that the person chooses. */
export type SessionStart = "new" | "choose" | { readonly id: string };
