import { overflow, prepareInVain } from "./drives/compaction.ts";
import {
  changePolicy,
  changeThinkingOfFork,
  cutInput,
  failToCompact,
  failToReadSettings,
  forkSession,
  interruptAnswer,
  overrideParameter,
  runHooks,
} from "./drives/emitting.ts";
import { compactWithoutNotes, noteTooMuch } from "./drives/notes.ts";
import { attachBadImage, storeOnFullDisk } from "./drives/storing.ts";
import { NUMBER_EXPERIMENTS, RULE_EXPERIMENTS } from "./rules.ts";
import { ENGINE_EXPERIMENTS } from "./settings.ts";
import { testSide } from "./test-side.ts";

testSide({
  side: "engine",
  experiments: ENGINE_EXPERIMENTS,
  rules: { ...RULE_EXPERIMENTS, ...NUMBER_EXPERIMENTS },
  telling: [
    storeOnFullDisk,
    attachBadImage,
    runHooks,
    forkSession,
    changeThinkingOfFork,
    failToCompact,
    failToReadSettings,
    interruptAnswer,
    overrideParameter,
    cutInput,
    changePolicy,
    overflow,
    noteTooMuch,
    compactWithoutNotes,
    prepareInVain,
  ],
});
