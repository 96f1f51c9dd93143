import { toRequestedEdits } from "../clear/edits.ts";
import { compactionPoint, type DueQuestion, forecastCompaction } from "../compact/when.ts";
import type { RequestedEdits } from "../log/payload-compaction.ts";
import type { CompactionForecast } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import { type Budget, levelOf, percentLeft } from "../size/budget.ts";
import type { SessionContext } from "../state/context.ts";
import { type RequestLimits, termsOf } from "../state/limits.ts";
import type { SessionSize } from "../state/ports.ts";
import { type Configuration, returningTokens, sizeTokens } from "../view/view.ts";

/** How large the view is, and the sizes at which something happens. */
interface Measures {
  /** What follows from the configuration and the settings. */
  limits(): RequestLimits;
  /** The size of a request that asks this of the provider. */
  sizeWith(asked: RequestedEdits): Omit<SessionSize, "compaction" | "percentLeft">;
  /** As if the next request asked what the newest did. */
  size(): SessionSize;
  /** The sizes at which something happens, without what has to be weighed for them. */
  budget(): Budget & Pick<SessionSize, "known">;
  /** What it goes by whether and where the conversation is compacted. */
  dueQuestion(): DueQuestion;
  /** What a compaction that the window asks for would do now. */
  forecast(why: string): CompactionForecast;
}

export function createMeasures(context: SessionContext): Measures {
  const { state, provider, factsOf, settings, attendance, clock } = context;
  /** What follows from the configuration and the settings, worked out once for each. */
  const limitsFor = rememberLast((held: Settings) =>
    rememberLast((limitTokens: number | undefined) =>
      rememberLast((now: Configuration) =>
        termsOf(now, factsOf(now.model), {
          settings: held,
          limitTokens,
          toolSearch: provider.toolSearch?.(now.model) ?? "own",
        }),
      ),
    ),
  );
  const limits = (): RequestLimits => limitsFor(settings())(state.carriedState.limitTokens)(state.configuration);

  function sizeWith(asked: RequestedEdits): Omit<SessionSize, "compaction" | "percentLeft"> {
    const tokens = sizeTokens(state.view) + returningTokens(state.view, asked);
    const { budget, known } = limits();
    return { ...budget, known, tokens, level: levelOf(budget, tokens) };
  }

  function size(): SessionSize {
    const plain = sizeWith(toRequestedEdits(state.view.edits, state.view.deleted));
    const compaction = compactionPoint(dueQuestion());
    const limitTokens = compaction.policy === "off" ? plain.limitTokens : compaction.atTokens;
    return { ...plain, compaction, percentLeft: percentLeft({ limitTokens }, plain.tokens) };
  }

  function dueQuestion(): DueQuestion {
    const { view, ledger, carriedState } = state;
    const { budget, facts } = limits();
    return {
      view,
      ledger,
      carriedState,
      budget,
      prices: facts.prices,
      settings: settings(),
      attendance,
      nowMs: clock.now(),
    };
  }

  return {
    limits,
    sizeWith,
    size,
    budget() {
      const { budget, known } = limits();
      return { ...budget, known };
    },
    dueQuestion,
    forecast: (why) => forecastCompaction(dueQuestion(), why),
  };
}

/** Remembers what it found for the newest key. */
function rememberLast<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: find(key) };
    return last.value;
  };
}
