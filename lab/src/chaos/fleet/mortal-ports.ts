import type { Dispatch } from "@palimpsest/coordination";
import type { Store } from "palimpsest";
import { isSummaryRequest, jobIn } from "./job.ts";
import type { Moments } from "./moments.ts";

/** The ports of a worker, which stand still at moments where the worker is to be killed. Otherwise they do what they did before. */
export function mortalFetch({ reach }: Moments, fetch: typeof globalThis.fetch = globalThis.fetch): typeof fetch {
  return async (url, init) => {
    const body = String(init?.body ?? "");
    const session = jobIn(body)?.session ?? "";
    const isSummary = isSummaryRequest(body);
    await reach(isSummary ? "in compaction" : "before send", session);
    const response = await fetch(url, init);
    const reachInside = (): Promise<void> => reach(isSummary ? "in compaction" : "in stream", session);
    return new Response(response.body?.pipeThrough(afterFirst(reachInside)) ?? null, response);
  };
}

/** Behind the first bytes. */
function afterFirst(reach: () => Promise<void>): TransformStream<Uint8Array, Uint8Array> {
  let chunks = 0;
  return new TransformStream({
    async transform(chunk, controller) {
      if (chunks++ > 0) return controller.enqueue(chunk);
      const half = Math.ceil(chunk.length / 2);
      controller.enqueue(chunk.subarray(0, half));
      await reach();
      controller.enqueue(chunk.subarray(half));
    },
  });
}

export function mortalStore(store: Store, { reach }: Moments): Store {
  return {
    ...store,
    async openWriter(session, options) {
      const opened = await store.openWriter(session, options);
      if (opened.kind === "busy") return opened;
      const { writer } = opened;
      const append: typeof writer.append = async (entries) => {
        if (entries.some(({ payload }) => payload?.includes('"kind":"tool_result"')))
          await reach("between result and append", session);
        if (entries.some(({ kind }) => kind === "boundary")) await reach("in compaction", session);
        return writer.append(entries);
      };
      return { ...opened, writer: Object.assign(Object.create(writer), { append }) };
    },
  };
}

export function mortalDispatch(dispatch: Dispatch, { reach }: Moments): Dispatch {
  const { approvals, inbox } = dispatch;
  return {
    ...dispatch,
    approvals: {
      ...approvals,
      async ask(question) {
        await reach("in approval", question.sessionId);
        const state = await approvals.ask(question);
        // Asked, or answered and not in the log yet.
        await reach("in approval", question.sessionId);
        return state;
      },
    },
    inbox: {
      ...inbox,
      async acknowledge(session, numbers) {
        if (numbers.length > 0) await reach("between taking in and acknowledging", session);
        return inbox.acknowledge(session, numbers);
      },
    },
  };
}
