// The fixed rules that similar agents are known to use: by time and size, without prices. For comparison.

import { files, folderRules, plan, skills, tools } from "../compact/parts/attachments.ts";
import { task, userMessages } from "../compact/parts/floor.ts";
import { evidence, latestResults } from "../compact/parts/record.ts";
import { codingSummary } from "../compact/summary/forms.ts";
import type { ClearRule, CompactRule, NotesRule, Policy } from "../policy/policy.ts";
import { fixedLifetimes } from "../policy/rules/cache.ts";
import { byCacheEdit, byProvider, bySize, whenIdle } from "../policy/rules/clear.ts";
import { notesByGrowth } from "../policy/rules/notes.ts";
import { everything } from "../policy/rules/range.ts";
import { storeBySize } from "../policy/rules/store.ts";
import { window } from "../policy/rules/when.ts";
import { WEIGH } from "../policy/weigh.ts";

/** After 60 minutes without a request, all results but the newest 5. */
export const idle60Keep5: ClearRule = whenIdle({ minutes: 60, keepNewest: 5 });
/** Near the limit, results down to 40,000 tokens, if that frees 20,000. The newest 3 stay. */
export const budget40K20K3: ClearRule = bySize({
  targetTokens: 40_000,
  minTokens: 20_000,
  keepNewest: 3,
  nearLimitTokens: 20_000,
});
/** Above 180,000 tokens of input, the provider clears at least 140,000. */
export const provider180K140K: ClearRule = byProvider({
  aboveTokens: 180_000,
  freeAtLeastTokens: 140_000,
  keepNewest: 5,
  inputsOf: ["Edit", "Write"],
  thinkingAfterIdleMinutes: 60,
});
/** From 12 results on, all but the newest 5, where the provider can delete from its cached prompt. */
export const cacheEdits12Keep5: ClearRule = byCacheEdit({ atLeastResults: 12, keepNewest: 5 });
/** 13,000 tokens below the usable window. */
export const window13K: CompactRule["when"] = window({ bufferTokens: 13_000 });
/** Notes from 10,000 tokens on, then after 5,000 more and 3 calls. */
export const notes10K5K3: NotesRule = notesByGrowth({ firstTokens: 10_000, growthTokens: 5_000, toolCalls: 3 });

/** All of these rules together. */
export const classic: Policy = {
  name: "classic",
  store: storeBySize(),
  clear: [provider180K140K, cacheEdits12Keep5, idle60Keep5, budget40K20K3],
  compact: {
    when: window13K,
    range: everything,
    summary: codingSummary(),
    keep: [
      task({ maxTokens: 20_000 }),
      userMessages({ maxTokens: 20_000 }),
      evidence({ maxTokens: 8_000 }),
      latestResults({ maxTokens: 10_000 }),
      files({ maxTokens: 50_000, eachTokens: 5_000, count: 5 }),
      skills({ maxTokens: 25_000 }),
      plan({ maxTokens: 10_000 }),
      tools({ maxTokens: 20_000 }),
      folderRules({ maxTokens: 10_000 }),
    ],
    expect: { keptTokens: 40_000, outputTokens: 4_000, comesBack: { tokens: 8_000, requests: 2 } },
    patience: "wait",
    minShrinkShare: 0.2,
  },
  notes: notes10K5K3,
  cache: fixedLifetimes("1h", "1h"),
  weigh: WEIGH,
};
