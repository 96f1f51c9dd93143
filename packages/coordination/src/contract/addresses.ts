import assert from "node:assert/strict";
import { acknowledge, bodies, type CoordinationCheck, receive, register } from "./coordination-case.ts";

/** Tests that a name belongs to one mailbox at a time, and that a former owner can do nothing with it. */
export function testAddresses(check: CoordinationCheck): void {
  check("addresses tell who runs and who was stopped, and mail waits for both", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const lead = await register(one, "lead");
    const result = await two.mailboxes.register({ team: "team", name: "a", session: "s-a", socket: "/run/a.sock" });
    assert.ok(result.kind === "registered");
    await result.mailbox.stop();
    const found = (await one.mailboxes.addresses("team")).map(({ host: _, pid: __, ...address }) => address);
    assert.deepEqual(found, [
      { team: "team", name: "a", session: "s-a", state: "stopped", socket: "/run/a.sock" },
      { team: "team", name: "lead", session: "session-of-lead", state: "running" },
    ]);
    // The sender learns whom to wake.
    const sent = await lead.send({ id: "m", to: "*", body: "wake up" });
    assert.ok(sent.kind === "sent");
    assert.deepEqual(
      sent.receivers.map(({ name, state, session }) => [name, state, session]),
      [["a", "stopped", "s-a"]],
    );
    assert.deepEqual(bodies(await receive(await register(one, "a"))), ["wake up"]);
  });

  check("a name in use is refused, and given to a session that was itself taken over", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const before = await register(one, "a");
    const registration = { team: "team", name: "a", session: "new" };
    for (const { mailboxes } of [one, two]) {
      const refused = await mailboxes.register(registration);
      assert.ok(refused.kind === "taken");
      assert.deepEqual([refused.by.session, refused.by.state], ["session-of-a", "running"]);
    }
    assert.equal((await two.mailboxes.register({ ...registration, takeover: "always" })).kind, "registered");
    assert.deepEqual(await before.receive(), { kind: "lost" });
  });

  check("of many that register a name at once one has it", async (place) => {
    const all = await Promise.all(Array.from({ length: 8 }, () => place.open()));
    const results = await Promise.all(
      all.map(({ mailboxes }, n) => mailboxes.register({ team: "team", name: "a", session: `s${n}` })),
    );
    assert.equal(results.filter(({ kind }) => kind === "registered").length, 1);
  });

  check("a name is free when its process was silent for long, not before", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const agent = await register(one, "a");
    const registration = { team: "team", name: "a", session: "x" };
    for (let times = 0; times < 10; times++) {
      place.advanceClock(place.silentAfterMs / 2);
      await agent.receive();
      assert.equal((await two.mailboxes.register(registration)).kind, "taken");
    }
    place.advanceClock(place.silentAfterMs);
    assert.deepEqual(
      (await two.mailboxes.addresses("team")).map(({ state }) => state),
      ["stopped"],
    );
    assert.equal((await two.mailboxes.register(registration)).kind, "registered");
  });

  check("unacknowledged mail of a silent process goes to the next, and not to the one before", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const [sender, before] = [await register(one, "sender"), await register(two, "agent")];
    for (const id of ["a", "b", "c"]) await sender.send({ id, to: "agent", body: id });
    const seen = await receive(before);
    await acknowledge(before, seen.slice(0, 1));
    place.advanceClock(place.silentAfterMs);
    const after = await register(await place.open(), "agent");
    assert.deepEqual(bodies(await receive(after)), ["b", "c"]);

    // It was only thought dead, and wakes.
    assert.deepEqual(await before.receive(), { kind: "lost" });
    assert.equal(await acknowledge(before, seen), "lost");
    assert.deepEqual(await before.send({ id: "x", to: "sender", body: "" }), { kind: "lost" });
    assert.equal(await before.wait(), "lost");
    await before.stop();
    assert.deepEqual(bodies(await receive(after)), ["b", "c"]);
  });

  check("bad names are refused", async (place) => {
    const { mailboxes } = await place.open();
    const good = { team: "t", name: "n", session: "s" };
    for (const [bad, because] of [
      [{ name: "*" }, "bad-name"],
      [{ team: "a/b" }, "bad-name"],
      [{ session: "a/b" }, "bad-id"],
    ] as const) {
      const refused = await mailboxes.register({ ...good, ...bad });
      assert.ok(refused.kind === "refused");
      assert.equal(refused.because, because);
    }
  });

  check("a team is disbanded with its mail when none of it runs", async (place) => {
    const coordination = await place.open();
    const [one, two] = [await register(coordination, "one"), await register(coordination, "two")];
    await register(coordination, "one", { team: "others" });
    await one.send({ id: "m", to: "two", body: "x" });
    await one.stop();
    assert.deepEqual(await coordination.mailboxes.disband("team"), { kind: "running", names: ["two"] });
    await two.stop();
    assert.deepEqual(await coordination.mailboxes.disband("team"), { kind: "disbanded" });
    assert.deepEqual(await coordination.mailboxes.addresses("team"), []);
    assert.equal((await coordination.mailboxes.addresses("others")).length, 1);
    assert.deepEqual(await receive(await register(coordination, "two")), []);
  });

  check("a process that closes stops its mailboxes", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    await register(one, "a");
    await one.close();
    await register(two, "a");
  });
}
