import type { SessionInbox } from "@palimpsest/coordination";

export interface MortalInbox extends SessionInbox {
  /** How many operations there were. */
  operations(): number;
}

/** An inbox whose process is killed at an operation: before it takes place, or behind it. */
export function mortalInbox(inbox: SessionInbox, killedAt: number, when: "before" | "behind"): MortalInbox {
  let operations = 0;
  const mortal =
    <Args extends readonly unknown[], Result>(operation: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const isKilled = ++operations === killedAt;
      if (isKilled && when === "before") throw new Error("killed");
      const result = await operation(...args);
      if (isKilled) throw new Error("killed");
      return result;
    };
  return {
    operations: () => operations,
    add: mortal(inbox.add),
    read: mortal(inbox.read),
    acknowledge: mortal(inbox.acknowledge),
  };
}
