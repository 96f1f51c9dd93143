import type { Store } from "palimpsest";
import type { SimulatedApi } from "./simulated-model.ts";

/** Where a door's agent finds its model, and where its sessions are kept. */
export interface DoorPlace {
  /** Of a server with the door's service. */
  readonly url: string;
  readonly model: string;
  readonly windowTokens: number;
  readonly store: Store;
  /** The name of the conversation. */
  readonly session: string;
  /** `bare`: the same agent without Palimpsest, to compare times with. */
  readonly adopted: "palimpsest" | "bare";
  /** The list of messages as the application had persisted it. @default a new conversation */
  readonly saved?: string;
}

/** An agent of a framework, with the framework's own list of messages. */
export interface DoorAgent {
  /** Runs one turn to its end, with tools. */
  turn(text: string): Promise<void>;
  /** Removes the last turns from the list, as a user interface does before a message is edited. */
  removeTurns(count: number): void;
  /** The list, as an application persists it. */
  save(): string;
  close(): Promise<void>;
}

/** A way in for agents of one framework. A new door is one file with one of these, and a line in doors.ts. */
export interface Door {
  readonly name: string;
  /** The service that its agents call. @default "messages" */
  readonly service?: SimulatedApi;
  /** Lines that an application adds: those of the door's file that end in `// adopt`. */
  readonly lines: number;
  /** Packages with their versions. */
  readonly versions: readonly string[];
  open(place: DoorPlace): Promise<DoorAgent>;
}
