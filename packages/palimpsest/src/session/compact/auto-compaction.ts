import type { Compactions } from "../../compact/compaction.ts";
import { toDraft } from "../../log/to-draft.ts";
import type { CompactionAnnounced, CompactionForecast } from "../../session-event/compaction-events.ts";
import type { SessionContext } from "../../state/context.ts";
import type { DueCompaction, Hold } from "./attendance.ts";
import type { CompactOptions } from "./compact-options.ts";
import { ANNOUNCED, announcedAt } from "./hold-compaction.ts";

export interface AutoCompaction {
  /** A compaction is due before a request: it is announced, asked about or made, as the settings say. */
  beforeRequest(due: DueCompaction, options: Pick<CompactOptions, "signal">): Promise<void>;
  /** Names a compaction that nobody asked for, if it is the first that the user meets since the session was opened. */
  announceFirst(forecast: CompactionForecast): Promise<void>;
}

export function createAutoCompaction<Request, Response, Message>(
  context: SessionContext<Request, Response, Message>,
  compactions: Compactions,
): AutoCompaction {
  const { state, settings, attendance, emit } = context;
  const { approveCompaction: approve } = context.options;
  /** How many messages the user had sent when they were asked last, or could not be. */
  let askedAtMessage: number | undefined;

  async function announce(forecast: CompactionForecast, when: CompactionAnnounced["when"]): Promise<void> {
    emit({ kind: "compaction-announced", ...forecast, when });
    await state.inOrder(async () => {
      await state.append([toDraft("mark", { name: ANNOUNCED, coveredTo: state.newestEntry })]);
    });
  }

  async function announceFirst(forecast: CompactionForecast): Promise<void> {
    if (announcedAt(state.carriedState) <= attendance.openedAt) await announce(forecast, "now");
  }

  async function mayCompact(
    forecast: CompactionForecast,
    { signal }: Pick<CompactOptions, "signal">,
  ): Promise<boolean> {
    const { userMessages } = state.carriedState;
    // Whoever said "not now" is asked again once they have spoken.
    if (askedAtMessage === userMessages) return false;
    askedAtMessage = userMessages;
    if (approve === undefined) {
      emit({ kind: "compaction-due", ...forecast });
      return false;
    }
    try {
      return (await approve(forecast, signal === undefined ? {} : { signal })) === "compact";
    } catch {
      // No answer is no yes. An aborted turn ends where the request is prepared.
      return false;
    }
  }

  return {
    announceFirst,
    async beforeRequest({ forecast, hold }, how) {
      const isAsked = settings()["compaction.auto"] === "ask";
      // Who is asked need not be told before; but what they took back is not asked about again.
      if (hold !== undefined && !(isAsked && hold.by === "opened")) return announce(forecast, heldUntil(hold));
      if (!isAsked) await announceFirst(forecast);
      else if (!(await mayCompact(forecast, how))) return;
      await compactions.compact({ trigger: "auto", forecast }, how);
    },
  };
}

function heldUntil({ by }: Hold): CompactionAnnounced["when"] {
  return by === "restored" ? "when-full" : "after-next-message";
}
