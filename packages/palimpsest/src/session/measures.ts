// Measures the view, and computes the sizes at which the session acts.

import { toRequestedEdits } from "../clear/edits.ts";
import { compactionPoint, type DueQuestion, forecastCompaction } from "../compact/when.ts";
import type { RequestedEdits } from "../log/payload-compaction.ts";
import type { CompactionForecast } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import { type Budget, levelOf, percentLeft } from "../size/budget.ts";
import type { SessionCore } from "../state/core.ts";
import { limitsOf, type RequestLimits } from "../state/limits.ts";
import type { SessionSize, Sizes } from "../state/ports.ts";
import { type Configuration, returningTokens, sizeTokens } from "../view/view.ts";

interface CachedLimits {
  readonly settings: Settings;
  readonly configuration: Configuration;
  readonly limitTokens: number | undefined;
  readonly limits: RequestLimits;
}

/** The size of the view, and the limits that follow from the settings and the model. */
export class Measures implements Sizes {
  readonly #core: SessionCore;
  /** The limits of the newest call. They are computed again only if one of their sources changes. */
  #cached: CachedLimits | undefined;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  limits(): RequestLimits {
    const { state, ports } = this.#core;
    const settings = this.#core.settings.current;
    const { configuration } = state;
    const { limitTokens } = state.carriedState;
    const cached = this.#cached;
    const isSame =
      cached?.settings === settings && cached.configuration === configuration && cached.limitTokens === limitTokens;
    if (cached !== undefined && isSame) return cached.limits;
    const { model } = configuration;
    const toolSearch = ports.provider.toolSearch?.(model) ?? "own";
    const limits = limitsOf(configuration, ports.facts.of(model), { settings, limitTokens, toolSearch });
    this.#cached = { settings, configuration, limitTokens, limits };
    return limits;
  }

  /** The size of the next request, if it asks the provider for the same edits as the newest request. */
  size(): SessionSize {
    const { edits, deleted } = this.#core.state.view;
    const size = this.sizeWith(toRequestedEdits(edits, deleted));
    const compaction = compactionPoint(this.dueQuestion());
    const limitTokens = compaction.policy === "off" ? size.limitTokens : compaction.atTokens;
    return { ...size, compaction, percentLeft: percentLeft({ limitTokens }, size.tokens) };
  }

  /** The size of a request that asks the provider for these edits. */
  sizeWith(edits: RequestedEdits): Omit<SessionSize, "compaction" | "percentLeft"> {
    const { view } = this.#core.state;
    const tokens = sizeTokens(view) + returningTokens(view, edits);
    const { budget, known } = this.limits();
    return { ...budget, known, tokens, level: levelOf(budget, tokens) };
  }

  budget(): Budget & Pick<SessionSize, "known"> {
    const { budget, known } = this.limits();
    return { ...budget, known };
  }

  forecast(why: string): CompactionForecast {
    return forecastCompaction(this.dueQuestion(), why);
  }

  /** The input for deciding whether and where the conversation is compacted. */
  dueQuestion(): DueQuestion {
    const { state, ports, settings, attendance } = this.#core;
    const { view, ledger, carriedState } = state;
    const { budget, facts } = this.limits();
    return {
      view,
      ledger,
      carriedState,
      budget,
      prices: facts.prices,
      settings: settings.current,
      attendance,
      nowMs: ports.clock.now(),
    };
  }
}
