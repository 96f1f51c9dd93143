/**
 * Which sessions are to run, and reminders. A worker runs the sessions of all tenants, so it takes them by one function that crosses
 * tenants, `take_wakeups`. It runs as a role of its own, `palimpsest_queue`, which nobody can log in as and no other role of ours is a
 * member of: no other function, also none of the tables' owner, sees more than one tenant. That role sees the columns that decide who is next and nothing else,
 * not even why a session is woken. The function returns the names of tenant and session and the number of the run; everything else is read
 * afterwards, by name of the tenant, under row-level security. Only `palimpsest_dispatcher` may call it: a front end that serves single
 * tenants has no such right.
 */
export const SCHEDULE = `
CREATE SEQUENCE run_number;

-- One row for each session that is to run or runs, none for those that rest: all that a worker looks through.
CREATE TABLE wakeup (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'held', 'set-aside')),
  -- When it is to run; of one that is held or sent to another engine, when whoever has it counts as gone.
  due_at_ms double precision NOT NULL,
  -- Counts wakes: one that comes during a run is not forgotten at its end.
  version bigint NOT NULL DEFAULT 0,
  -- The wakes that a finished run has covered.
  done_version bigint NOT NULL DEFAULT 0,
  -- Never given twice, though rows come and go.
  run bigint NOT NULL DEFAULT 0,
  -- The run that sent it to another engine.
  sender bigint NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  set_aside_at_ms double precision,
  failure text,
  PRIMARY KEY (tenant, session)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX wakeup_due ON wakeup (tenant, due_at_ms) WHERE state <> 'set-aside';

CREATE TABLE reminder (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'ready')),
  due_at_ms double precision NOT NULL,
  reason text NOT NULL,
  past_entry integer,
  -- The run that it was given to.
  run bigint,
  PRIMARY KEY (tenant, session, key)
);
CREATE INDEX reminder_due ON reminder (due_at_ms) WHERE state = 'waiting';

ALTER TABLE wakeup ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE reminder ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON wakeup USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON reminder USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY all_tenants ON wakeup TO palimpsest_queue USING (true);
CREATE POLICY all_tenants ON reminder TO palimpsest_queue USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON wakeup, reminder TO palimpsest_worker;
GRANT USAGE, CREATE ON SCHEMA palimpsest TO palimpsest_queue;
GRANT USAGE ON SCHEMA palimpsest TO palimpsest_dispatcher;
GRANT USAGE ON SEQUENCE run_number TO palimpsest_queue;
GRANT SELECT (tenant, session, state, due_at_ms, run, attempts), INSERT (tenant, session, due_at_ms),
  UPDATE (state, due_at_ms, run, sender, attempts, set_aside_at_ms) ON wakeup TO palimpsest_queue;
GRANT SELECT (tenant, session, key, state, due_at_ms), UPDATE (state) ON reminder TO palimpsest_queue;

-- Locks are taken in one order everywhere: reminders, then the session's wake-up.
CREATE FUNCTION wake_session(p_tenant text, p_session text, p_now_ms double precision) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_state text;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO wakeup AS w (tenant, session, due_at_ms, version) VALUES (p_tenant, p_session, now_ms(p_now_ms), 1)
    ON CONFLICT (tenant, session) DO UPDATE SET version = w.version + 1,
      due_at_ms = CASE w.state WHEN 'waiting' THEN least(w.due_at_ms, excluded.due_at_ms) ELSE w.due_at_ms END
    RETURNING state INTO v_state;
  RETURN CASE v_state WHEN 'set-aside' THEN v_state ELSE 'woken' END;
END $$;

-- A new time counts for the next run, also if the reminder of this key was given to the run that is under way.
CREATE FUNCTION remind_session(p_tenant text, p_session text, p_key text, p_due_at_ms double precision, p_reason text, p_past_entry integer)
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO reminder (tenant, session, key, state, due_at_ms, reason, past_entry)
    VALUES (p_tenant, p_session, p_key, 'waiting', p_due_at_ms, p_reason, p_past_entry)
    ON CONFLICT (tenant, session, key) DO UPDATE SET state = 'waiting', due_at_ms = excluded.due_at_ms, reason = excluded.reason,
      past_entry = excluded.past_entry, run = NULL;
END $$;

CREATE FUNCTION cancel_reminder(p_tenant text, p_session text, p_key text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM reminder WHERE tenant = p_tenant AND session = p_session AND key = p_key AND run IS NULL;
  RETURN FOUND;
END $$;

CREATE FUNCTION list_set_aside(p_tenant text, p_after text, p_limit integer)
RETURNS TABLE (session text, attempts integer, set_aside_at_ms double precision, failure text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT session, attempts, set_aside_at_ms, failure FROM wakeup
    WHERE tenant = p_tenant AND state = 'set-aside' AND session > p_after ORDER BY session LIMIT p_limit;
END $$;

CREATE FUNCTION resume_session(p_tenant text, p_session text, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE wakeup SET state = 'waiting', attempts = 0, due_at_ms = now_ms(p_now_ms), set_aside_at_ms = NULL
    WHERE tenant = p_tenant AND session = p_session AND state = 'set-aside';
  RETURN FOUND;
END $$;

-- Gives the run the reminders that are due, and drops the stale ones. One that an earlier run was given is not judged again: the log may have
-- grown by that run's own work. Returns no row if the run is lost, or if nothing is left to run for.
CREATE FUNCTION begin_run(p_tenant text, p_session text, p_run bigint)
RETURNS TABLE (version bigint, key text, reason text, due_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_row record;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM reminder WHERE tenant = p_tenant AND session = p_session AND state = 'ready' ORDER BY key FOR UPDATE;
  SELECT version, done_version FROM wakeup
    WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent') FOR UPDATE INTO v_row;
  IF NOT FOUND THEN RETURN; END IF;
  DELETE FROM reminder WHERE tenant = p_tenant AND session = p_session AND state = 'ready' AND run IS NULL
    AND past_entry < (SELECT head_sequence FROM session WHERE tenant = p_tenant AND name = p_session);
  UPDATE reminder SET run = p_run WHERE tenant = p_tenant AND session = p_session AND state = 'ready';
  IF NOT FOUND AND v_row.version = v_row.done_version THEN
    DELETE FROM wakeup WHERE tenant = p_tenant AND session = p_session;
    RETURN;
  END IF;
  RETURN QUERY SELECT v_row.version, r.key, r.reason, r.due_at_ms FROM (SELECT) AS one
    LEFT JOIN reminder AS r ON r.tenant = p_tenant AND r.session = p_session AND r.run = p_run ORDER BY r.due_at_ms, r.key;
END $$;

-- A renewal that a crash of the server forgets costs a run at most, which the log's fence makes harmless.
CREATE FUNCTION renew_run(p_tenant text, p_session text, p_run bigint, p_silent_ms double precision, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
  UPDATE wakeup SET due_at_ms = now_ms(p_now_ms) + p_silent_ms
    WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent');
  RETURN FOUND;
END $$;

-- The row goes, unless the session was woken since the run began.
CREATE FUNCTION finish_run(p_tenant text, p_session text, p_run bigint, p_version bigint, p_now_ms double precision) RETURNS text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_version bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM reminder WHERE tenant = p_tenant AND session = p_session AND run = p_run ORDER BY key FOR UPDATE;
  SELECT version FROM wakeup WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent') FOR UPDATE INTO v_version;
  IF NOT FOUND THEN RETURN 'lost'; END IF;
  DELETE FROM reminder WHERE tenant = p_tenant AND session = p_session AND run = p_run;
  IF v_version = p_version AND NOT EXISTS (SELECT FROM reminder WHERE tenant = p_tenant AND session = p_session AND state = 'ready') THEN
    DELETE FROM wakeup WHERE tenant = p_tenant AND session = p_session;
    RETURN 'finished';
  END IF;
  UPDATE wakeup SET state = 'waiting', due_at_ms = now_ms(p_now_ms), attempts = 0, done_version = p_version, failure = NULL
    WHERE tenant = p_tenant AND session = p_session;
  RETURN 'woken';
END $$;

-- Without a failure the attempt does not count, and a session that was woken since the run began runs at once. To send a session is no attempt.
CREATE FUNCTION give_back_run(p_tenant text, p_session text, p_run bigint, p_attempt integer, p_version bigint, p_after_ms double precision, p_failure text, p_now_ms double precision) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE wakeup SET state = 'waiting', failure = coalesce(p_failure, failure),
      due_at_ms = now_ms(p_now_ms) + CASE WHEN p_failure IS NULL AND version > p_version THEN 0 ELSE p_after_ms END,
      attempts = CASE WHEN state = 'sent' THEN attempts WHEN p_failure IS NULL THEN p_attempt - 1 ELSE p_attempt END
    WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent');
  RETURN FOUND;
END $$;

-- Tells those that listen, apart from what happened: PostgreSQL commits transactions that notify one after another, so there are few of them. What a
-- crash loses, the listeners' poll finds.
CREATE FUNCTION ring(p_channels text[], p_payloads text[]) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_notify(channel, payload) FROM unnest(p_channels, p_payloads) AS rung (channel, payload);
END $$;

-- What belongs to a session goes with it. The tables' owner does it, under the same row-level security.
CREATE FUNCTION wakeups_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM reminder WHERE tenant = OLD.tenant AND session = OLD.name;
  DELETE FROM wakeup WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER wakeups_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION wakeups_go_with_their_session();

SET LOCAL ROLE palimpsest_queue;
-- One session of each tenant in turn, beginning behind the tenant that is named: a tenant with a million due sessions delays another by
-- one. Rows that another worker is taking are skipped. A row without a run: this session was set aside. Who takes sessions to send them to
-- another engine does not run them: that is no attempt. From the third on an attempt counts when the run is first kept (keep_run): a
-- worker that may not run it beside another suspect gives it back, and may be ended by that other one before it has.
CREATE FUNCTION take_wakeups(p_limit integer, p_after text, p_to text, p_max_attempts integer, p_silent_ms double precision, p_now_ms double precision)
RETURNS TABLE (tenant text, session text, run bigint, attempt integer) LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_now double precision := coalesce(p_now_ms, extract(epoch FROM clock_timestamp()) * 1000);
  v_tenant text := p_after;
  v_left integer := p_limit;
  v_due record;
  v_run bigint;
BEGIN
  WITH due AS (
    SELECT tenant, session, key FROM palimpsest.reminder WHERE state = 'waiting' AND due_at_ms <= v_now
      ORDER BY due_at_ms LIMIT 1000 FOR UPDATE SKIP LOCKED
  ), ready AS (
    UPDATE palimpsest.reminder AS r SET state = 'ready' FROM due
      WHERE r.tenant = due.tenant AND r.session = due.session AND r.key = due.key RETURNING r.tenant, r.session
  )
  INSERT INTO palimpsest.wakeup AS w (tenant, session, due_at_ms) SELECT DISTINCT tenant, session, v_now FROM ready ORDER BY tenant, session
    ON CONFLICT (tenant, session) DO UPDATE
      SET due_at_ms = CASE w.state WHEN 'waiting' THEN least(w.due_at_ms, excluded.due_at_ms) ELSE w.due_at_ms END;
  WHILE v_left > 0 LOOP
    SELECT w.tenant, w.session, w.attempts FROM palimpsest.wakeup AS w
      WHERE w.state <> 'set-aside' AND w.tenant > v_tenant AND w.due_at_ms <= v_now
      ORDER BY w.tenant, w.due_at_ms LIMIT 1 FOR UPDATE SKIP LOCKED INTO v_due;
    IF NOT FOUND THEN
      -- From the first tenant on there was none: none is left.
      EXIT WHEN v_tenant = '';
      v_tenant := '';
      CONTINUE;
    END IF;
    v_tenant := v_due.tenant;
    IF v_due.attempts >= p_max_attempts THEN
      v_run := NULL;
      UPDATE palimpsest.wakeup AS w SET state = 'set-aside', set_aside_at_ms = v_now, run = 0
        WHERE w.tenant = v_due.tenant AND w.session = v_due.session;
    ELSE
      v_run := nextval('palimpsest.run_number');
      v_left := v_left - 1;
      UPDATE palimpsest.wakeup AS w SET state = CASE p_to WHEN 'send' THEN 'sent' ELSE 'held' END, due_at_ms = v_now + p_silent_ms, run = v_run,
          sender = CASE p_to WHEN 'send' THEN v_run ELSE 0 END,
          attempts = w.attempts + CASE WHEN p_to = 'send' OR w.attempts >= 2 THEN 0 ELSE 1 END
        WHERE w.tenant = v_due.tenant AND w.session = v_due.session;
    END IF;
    RETURN QUERY SELECT v_due.tenant, v_due.session, v_run, v_due.attempts + CASE p_to WHEN 'send' THEN 0 ELSE 1 END;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION take_wakeups FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_wakeups TO palimpsest_dispatcher;
SET LOCAL ROLE palimpsest_owner;
REVOKE CREATE ON SCHEMA palimpsest FROM palimpsest_queue;
`;
