import type { SessionEvent } from "palimpsest";
import { expect, test } from "vitest";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import { watchCompactions } from "./tasks-extension.ts";

test("lists a running compaction with its progress and cost", () => {
  let emit: (event: SessionEvent) => void = () => {};
  let priceUsd = 2;
  const list = watchCompactions({
    events: {
      listen(listener) {
        emit = listener;
        return () => {};
      },
    },
    ledger: { totals: () => ({ priceUsd }) as ReturnType<AgentSession["ledger"]["totals"]> },
  });
  const tell = (event: object): void => emit(event as SessionEvent);
  expect(list()).toEqual([]);
  tell({ kind: "compaction-started" });
  expect(list()).toMatchObject([{ kind: "compaction", progress: "starting", priceUsd: 0 }]);
  tell({ kind: "compaction-progressed", phase: "summarizing", receivedCharacters: 1_200 });
  priceUsd = 2.5;
  expect(list()).toMatchObject([{ progress: "summarizing, 1,200 characters", priceUsd: 0.5 }]);
  tell({ kind: "compaction-ended" });
  expect(list()).toEqual([]);
});
