import { type Exchange, type ManualClock, manualClock, type Script, serve } from "@palimpsest/provider-simulator";
import { onTestFinished } from "vitest";
import { type AnyProvider, WORLDS, type WorldName } from "../../providers/testing/worlds.ts";
import { openSession } from "../../session/open.ts";
import type { Session } from "../../session/session.ts";
import type { SessionOptions } from "../../state/options.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import type { QueryEvent, QueryOutcome } from "../permission.ts";

/** An open session, its provider and its clock. */
export interface OpenedWorld {
  readonly session: Session<unknown, unknown>;
  readonly provider: AnyProvider;
  readonly model: string;
  readonly clock: ManualClock;
  sent(): readonly Exchange[];
}

/** Opens a session with a real client and the simulator. Its clock moves only when a test moves it. */
export async function openWorld(
  script: Script,
  world: WorldName = "Anthropic",
  options: Partial<SessionOptions<unknown, unknown, unknown>> = {},
): Promise<OpenedWorld> {
  const { face, connect, model } = WORLDS[world];
  const server = await serve({ faces: [face({ script })] });
  onTestFinished(() => server.close());
  const provider = connect(server.url);
  const clock = manualClock(1_000_000);
  const session = await openSession({
    store: memoryStore({ leaseMs: 0 }),
    id: "s",
    provider,
    model,
    clock,
    settingsFrom: { environment: {} },
    ...options,
  });
  return { session, provider, model, clock, sent: () => server.recorder.exchanges };
}

/** Runs a turn to its end. Waits between attempts pass at once. */
export async function runTurn(
  turn: AsyncGenerator<QueryEvent, QueryOutcome>,
  clock: ManualClock,
  watch: (event: QueryEvent) => void = () => {},
): Promise<QueryOutcome> {
  for (;;) {
    const next = await turn.next();
    if (next.done === true) return next.value;
    const { value } = next;
    watch(value);
    if (value.kind === "retry-waiting") setImmediate(() => clock.advance(value.waitMs));
  }
}
