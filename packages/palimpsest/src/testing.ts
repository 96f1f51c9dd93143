/** `palimpsest/testing`: tests of policies, and the contracts of stores, result stores and providers as tests. Node only. */

export {
  gridOfStates,
  type StateOptions,
  stateAfter,
  stateOf,
  TEST_MODELS,
  type TestModel,
  type TestPolicyOptions,
  testPolicy,
} from "./policy/testing.ts";
export {
  type TestProviderOptions,
  type TestReply,
  type TestSituation,
  testProvider,
} from "./providers/test-provider.ts";
export { type ManualStoreClock, manualStoreClock, type StorePlace } from "./stores/contract/store-case.ts";
export { type ResultsPlace, type TestResultsOptions, testResults } from "./stores/test-results.ts";
export { type TestStoreOptions, testStore } from "./stores/test-store.ts";
