/** One step of a guided tour: what the person sees, and the message that waits in the prompt. */
export interface TourStep {
  readonly hint: string;
  /** @default the prompt stays empty */
  readonly prompt?: string;
}

export interface Tour {
  /** Shows the next step. After the last one, nothing. */
  next(): void;
}

/** Leads through steps, one after each turn or command. Whoever writes something else is not held up. */
export function createTour(
  steps: readonly TourStep[],
  { say, prompt }: { say(text: string): void; prompt(text: string): void },
): Tour {
  let at = 0;
  return {
    next() {
      const step = steps[at++];
      if (step === undefined) return;
      say(step.hint);
      if (step.prompt !== undefined) prompt(step.prompt);
    },
  };
}
