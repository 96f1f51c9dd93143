import { describe, expect, test } from "vitest";
import { InvalidOptionError } from "../errors.ts";
import type { Policy } from "../policy/policy.ts";
import { whenCold, whenIdle } from "../policy/rules/clear.ts";
import { anyOf, economic, window } from "../policy/rules/when.ts";
import { classic } from "../presets/classic.ts";
import { coding, policyOfSettings } from "../presets/coding.ts";
import { support } from "../presets/support.ts";
import { JUDGED_MODEL, openJudged } from "../session/testing/judged-session.ts";
import { clearingBy, compactingWhen } from "../session/testing/policies.ts";
import type { NewEvent } from "../session-event.ts";
import { resolveSettings } from "../settings/resolve.ts";
import {
  changedRules,
  checkPolicyOption,
  describePolicy,
  type PolicyFacts,
  type PolicyOption,
  SessionPolicy,
} from "./policy.ts";

/** The policy of a session whose model and settings the test can change. */
function begin(option: PolicyOption | undefined) {
  const events: NewEvent[] = [];
  const model = { model: "small-model", windowTokens: 200_000 };
  const settings = { current: resolveSettings({}).settings };
  const policy = new SessionPolicy({
    ...{ sessionId: "s", option, fromSettings: policyOfSettings, settings, model: () => model },
    emit: (event) => events.push(event),
  });
  return { policy, events, model, settings };
}

describe("the policy of a session", () => {
  test("follows the settings if the host passes none", () => {
    const { policy, settings } = begin(undefined);
    expect(policy.current.name).toBe("coding, balanced");
    expect(policy.current).toBe(policy.current);
    expect(policy.current.notes).toBeUndefined();
    settings.current = resolveSettings({ code: { profile: "economy", notes: "on" } }).settings;
    expect(policy.current.name).toBe("coding, economy");
    expect(policy.current.notes?.name).toBe("notes-when-they-pay");
  });

  test("is the value that the host passes", () => {
    const own = clearingBy();
    expect(begin(own).policy.current).toBe(own);
  });

  test("comes from a function of the session, the model and its window, called again when one of them changes", () => {
    const asked: PolicyFacts[] = [];
    const { policy, model } = begin((facts) => {
      asked.push(facts);
      return facts.windowTokens > 500_000 ? coding("quality") : coding("economy");
    });
    expect([policy.current.name, policy.current.name]).toEqual(["coding, economy", "coding, economy"]);
    Object.assign(model, { model: "large-model", windowTokens: 1_000_000 });
    expect(policy.current.name).toBe("coding, quality");
    expect(asked).toEqual([
      { sessionId: "s", model: "small-model", windowTokens: 200_000 },
      { sessionId: "s", model: "large-model", windowTokens: 1_000_000 },
    ]);
  });

  test("stays if the function fails later, and the failure is reported once", () => {
    const { policy, model, events } = begin(({ model: name }) => {
      if (name === "small-model") return coding("economy");
      throw new Error("no policy for large models");
    });
    expect(policy.current.name).toBe("coding, economy");
    model.model = "large-model";
    expect([policy.current.name, policy.current.name]).toEqual(["coding, economy", "coding, economy"]);
    expect(events).toMatchObject([{ kind: "rule-failed", rule: "policy", because: "no policy for large models" }]);
  });

  test("cannot come from a function that fails at first", () => {
    const { policy } = begin(() => {
      throw new Error("no policy");
    });
    expect(() => policy.current).toThrow("no policy");
  });

  test("counts failures in a row, and forgets them after a success", () => {
    const { policy, events } = begin(undefined);
    const failure = { rule: "mine", where: "propose", why: "it threw" } as const;
    policy.count(["mine"], [failure]);
    policy.count(["mine"], [failure]);
    expect(policy.failures).toEqual({ mine: 2 });
    policy.count(["mine"], []);
    expect(policy.failures).toEqual({});
    for (let count = 0; count < 3; count++) policy.report(failure);
    const paused = events.flatMap((event) => (event.kind === "rule-failed" ? [event.paused] : []));
    expect(paused).toEqual([false, false, false, false, true]);
  });
});

describe("a policy that cannot be used", () => {
  const wrong = { ...coding(), clear: [whenCold({ keepNewest: 3 }), whenCold({ keepNewest: 5 })], name: "" } as Policy;

  test("throws an error that names all problems", () => {
    const error = (() => {
      try {
        checkPolicyOption(wrong);
        return undefined;
      } catch (thrown) {
        return thrown as Error;
      }
    })();
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error?.message).toMatch(/^The policy "" cannot be used: .*policy\.name.*; .*when-cold/);
  });

  test("does not open a session, neither as a value nor from a function", async () => {
    await expect(openJudged({ policy: wrong })).rejects.toThrow(InvalidOptionError);
    await expect(openJudged({ policy: () => wrong })).rejects.toThrow(InvalidOptionError);
    await expect(openJudged({ policy: {} as Policy })).rejects.toThrow("cannot be used");
  });

  test.each([coding("quality"), coding(), coding("economy"), classic, support({ ids: /ORD-\d+/ })])(
    "is not a preset: $name",
    (policy) => {
      checkPolicyOption(policy);
    },
  );
});

describe("a change of the policy", () => {
  test("names the rules that are new, gone, or have other numbers", () => {
    const before = describePolicy(clearingBy(whenCold({ keepNewest: 3 })));
    const now = describePolicy(clearingBy(whenCold({ keepNewest: 5 }), whenIdle({ minutes: 60, keepNewest: 5 })));
    expect(changedRules(before, now)).toEqual(["clear when-cold", "clear when-idle"]);
    expect(changedRules(before, before)).toEqual([]);
    expect(changedRules(now, before)).toEqual(["clear when-cold", "clear when-idle"]);
  });

  test("names a rule for compactions that has other numbers, also inside anyOf", () => {
    const from = (fromTokens: number) =>
      describePolicy(compactingWhen(anyOf(window(), economic({ fromTokens, inTurnFromTokens: 200_000 }))));
    expect(changedRules(from(100_000), from(130_000))).toEqual(["when economic"]);
    expect(changedRules(from(100_000), describePolicy(compactingWhen(window())))).toEqual(["when economic"]);
    expect(changedRules(from(100_000), describePolicy(compactingWhen(() => undefined)))).toEqual([
      "when window",
      "when economic",
      "when own",
    ]);
  });

  test("is reported when a session is opened with another policy than the one that made its newest decision", async () => {
    const opened = await openJudged({ policy: clearingBy(whenCold({ keepNewest: 1 })) });
    await opened.session.append("Read them all.");
    await opened.read(3);
    await opened.ask();
    opened.clock.advance(6 * 60_000);
    await opened.session.append("Go on.");
    await opened.ask();
    const changes = () => opened.events.filter(({ kind }) => kind === "policy-changed");
    await opened.reopen();
    expect(changes()).toEqual([]);
    await opened.reopen({ policy: clearingBy(whenCold({ keepNewest: 2 })) });
    expect(changes()).toMatchObject([{ from: "test", to: "test", rules: ["clear when-cold"] }]);
  });

  test("comes with the model: a function returns another policy, and the session uses it", async () => {
    const option: PolicyOption = ({ model }) =>
      model === JUDGED_MODEL ? clearingBy() : { ...clearingBy(), name: "other" };
    const opened = await openJudged({ policy: option });
    await opened.session.append("Hello.");
    await opened.ask();
    expect(opened.session.history.decision().policy).toBe("test");
    await opened.session.configure({ model: "claude-sonnet-4-6" });
    await opened.session.append("Hello again.");
    await opened.session.prepare();
    expect(opened.session.history.decision().policy).toBe("other");
  });
});
