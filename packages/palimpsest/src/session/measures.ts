import { toRequestedEdits } from "../clear/edits.ts";
import { compactionPoint, type DueQuestion, forecastCompaction } from "../compact/when.ts";
import type { RequestedEdits } from "../log/payload-compaction.ts";
import type { CompactionForecast } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import { type Budget, levelOf, percentLeft } from "../size/budget.ts";
import type { SessionCore } from "../state/core.ts";
import { type RequestLimits, termsOf } from "../state/limits.ts";
import type { SessionSize, Sizes } from "../state/ports.ts";
import { type Configuration, returningTokens, sizeTokens } from "../view/view.ts";

interface KnownLimits {
  readonly settings: Settings;
  readonly configuration: Configuration;
  readonly limitTokens: number | undefined;
  readonly limits: RequestLimits;
}

/** How large the view is, and at which sizes the session acts. */
export class Measures implements Sizes {
  readonly #core: SessionCore;
  /** The newest limits. They are computed again only if a source of them changes. */
  #known: KnownLimits | undefined;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** The limits that follow from the settings and the configuration. */
  limits(): RequestLimits {
    const { state, ports } = this.#core;
    const settings = this.#core.settings.current;
    const { configuration } = state;
    const { limitTokens } = state.carriedState;
    const known = this.#known;
    const isSame =
      known?.settings === settings && known.configuration === configuration && known.limitTokens === limitTokens;
    if (known !== undefined && isSame) return known.limits;
    const { model } = configuration;
    const toolSearch = ports.provider.toolSearch?.(model) ?? "own";
    const limits = termsOf(configuration, ports.facts.of(model), { settings, limitTokens, toolSearch });
    this.#known = { settings, configuration, limitTokens, limits };
    return limits;
  }

  /** The size of the next request, as if it asked the same edits of the provider as the newest one. */
  size(): SessionSize {
    const { edits, deleted } = this.#core.state.view;
    const plain = this.sizeWith(toRequestedEdits(edits, deleted));
    const compaction = compactionPoint(this.dueQuestion());
    const limitTokens = compaction.policy === "off" ? plain.limitTokens : compaction.atTokens;
    return { ...plain, compaction, percentLeft: percentLeft({ limitTokens }, plain.tokens) };
  }

  /** The size of a request that asks these edits of the provider. */
  sizeWith(asked: RequestedEdits): Omit<SessionSize, "compaction" | "percentLeft"> {
    const { view } = this.#core.state;
    const tokens = sizeTokens(view) + returningTokens(view, asked);
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

  /** Everything that decides whether and where the conversation is compacted. */
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
