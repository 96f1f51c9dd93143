import {
  cutInput,
  failToCompact,
  failToReadSettings,
  forkSession,
  interruptAnswer,
  overrideParameter,
  runHooks,
} from "./drives/emitting.ts";
import { attachBadImage, storeOnFullDisk } from "./drives/storing.ts";
import { ENGINE_EXPERIMENTS } from "./settings.ts";
import { testSide } from "./test-side.ts";

testSide({
  side: "engine",
  experiments: ENGINE_EXPERIMENTS,
  telling: [
    storeOnFullDisk,
    attachBadImage,
    runHooks,
    forkSession,
    failToCompact,
    failToReadSettings,
    interruptAnswer,
    overrideParameter,
    cutInput,
  ],
});
