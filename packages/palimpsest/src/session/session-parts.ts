import { type Compactions, createCompactions } from "../compact/compaction.ts";
import { createRecovery } from "../compact/recover.ts";
import { createForks, type Forks, type OpenFork } from "../forks/forks.ts";
import { createNotes, type NotesKeeper } from "../notes/keeper.ts";
import type { SessionContext } from "../state/context.ts";
import type { Contents, Requests } from "../state/ports.ts";
import { createEnterUsage, type EnterUsage } from "../state/responses.ts";
import { createContents } from "./append.ts";
import { createAutoCompaction } from "./compact/auto-compaction.ts";
import { createDecisions, type Decisions } from "./decisions.ts";
import { createKeepWarm, type KeepWarm } from "./keep-warm.ts";
import { createPins, type Pins } from "./pins.ts";
import { createPrepare } from "./prepare.ts";
import { createRecord, type RecordResponse } from "./record.ts";
import { createRecordInterrupted, type RecordInterrupted } from "./record-interrupted.ts";
import { createMediaRecovery } from "./recover-media.ts";
import { createRequests } from "./requests.ts";
import type { Session } from "./session.ts";

/** What a session is made of. */
export interface SessionParts<Request, Response> {
  /** The way in. */
  readonly contents: Contents;
  /** The way out. */
  readonly requests: Requests<Request>;
  readonly prepare: Session<Request, Response>["prepare"];
  /** The way back. */
  readonly record: RecordResponse<Request, Response>;
  readonly recordInterrupted: RecordInterrupted<Request>;
  readonly recover: Session<Request, Response>["recover"];
  readonly decisions: Decisions;
  readonly compactions: Compactions;
  readonly pins: Pins;
  readonly notes: NotesKeeper;
  readonly forks: Forks<Session<Request, Response>>;
  readonly warmth: KeepWarm<Request>;
  readonly enterUsage: EnterUsage;
}

/** @param openFork opens a session that shares this one's prompt */
export function createParts<Request, Response, Message>(
  context: SessionContext<Request, Response, Message>,
  openFork: OpenFork<Session<Request, Response>>,
): SessionParts<Request, Response> {
  const { options, state, provider, fork } = context;
  const contents = createContents(context);
  const warmth = createKeepWarm(context);
  const requests = createRequests(context, (request, entry) => {
    warmth.begin(request, entry);
    fork?.watch?.asked();
  });
  const enterUsage = createEnterUsage(state, context.factsOf);
  const forks = createForks(context, { requests, enterUsage, openFork });
  const notes = createNotes(context, { forks, requests });
  const compactions = createCompactions(context, { contents, forks, notes, requests });
  const automatic = createAutoCompaction(context, compactions);
  const media = createMediaRecovery(context, requests);
  return {
    contents,
    requests,
    prepare: createPrepare(state, { requests, notes, automatic }),
    record: createRecord(context, requests),
    recordInterrupted: createRecordInterrupted(context, requests),
    recover: createRecovery(context, { requests, compactions, automatic, media }),
    decisions: createDecisions({ ...options, state, provider: provider.name }),
    compactions,
    pins: createPins(state, requests),
    notes,
    forks,
    warmth,
    enterUsage,
  };
}
