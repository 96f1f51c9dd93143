/** What the processes of a service share: leases and daily budgets, mail, the queue, questions, events, inboxes, and the view of a fleet. */
export const COORDINATION = `
CREATE TABLE lease (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  name text COLLATE "C" NOT NULL,
  -- Rises each time that the lease is taken, and fences whoever had it before.
  generation bigint NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'free' CHECK (state IN ('free', 'held')),
  holder uuid,
  owner text NOT NULL DEFAULT '',
  host text NOT NULL DEFAULT '',
  pid integer NOT NULL DEFAULT 0,
  taken_at_ms double precision NOT NULL DEFAULT 0,
  renewed_at_ms double precision NOT NULL DEFAULT 0,
  last_done_at_ms double precision,
  last_tried_at_ms double precision,
  last_scan_at_ms double precision,
  failures integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, name)
) WITH (fillfactor = 70);
CREATE TRIGGER generation_never_falls BEFORE UPDATE ON lease FOR EACH ROW WHEN (NEW.generation < OLD.generation)
  EXECUTE FUNCTION refuse('the generation of a lease never falls');
CREATE TABLE spent (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  name text COLLATE "C" NOT NULL,
  day date NOT NULL,
  tokens double precision NOT NULL,
  PRIMARY KEY (tenant, name, day)
) WITH (fillfactor = 70);
ALTER TABLE lease ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE spent ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON lease USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON spent USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, UPDATE ON lease TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON spent TO palimpsest_worker;

-- The lock of the row puts callers in order. Returns the row as it was before: who holds the lease, or who held it until now.
CREATE FUNCTION take_lease(p_tenant text, p_name text, p_holder uuid, p_owner text, p_host text, p_pid integer, p_now_ms double precision,
  p_silent_ms double precision)
RETURNS TABLE (outcome text, now_at_ms double precision, generation bigint, owner text, host text, pid integer, taken_at_ms double precision,
  renewed_at_ms double precision, last_done_at_ms double precision, failures integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_before lease;
  v_now double precision;
  v_outcome text := 'taken';
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO lease (tenant, name) VALUES (p_tenant, p_name) ON CONFLICT DO NOTHING;
  SELECT * FROM lease WHERE tenant = p_tenant AND name = p_name FOR UPDATE INTO v_before;
  v_now := now_ms(p_now_ms);
  IF v_before.state = 'held' THEN
    v_outcome := CASE WHEN v_now - v_before.renewed_at_ms < p_silent_ms THEN 'held' ELSE 'reclaimed' END;
  END IF;
  IF v_outcome <> 'held' THEN
    UPDATE lease SET generation = generation + 1, state = 'held', holder = p_holder, owner = p_owner, host = p_host, pid = p_pid,
      taken_at_ms = v_now, renewed_at_ms = v_now WHERE tenant = p_tenant AND name = p_name;
  END IF;
  RETURN QUERY SELECT v_outcome, v_now, v_before.generation + 1, v_before.owner, v_before.host, v_before.pid, v_before.taken_at_ms,
    v_before.renewed_at_ms, v_before.last_done_at_ms, v_before.failures;
END $$;

CREATE FUNCTION read_lease(p_tenant text, p_name text) RETURNS SETOF lease LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM lease WHERE tenant = p_tenant AND name = p_name;
END $$;

-- Locks the row until the transaction ends, so that nobody takes the lease meanwhile.
CREATE FUNCTION hold_lease(p_tenant text, p_name text, p_generation bigint, p_holder uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM lease WHERE tenant = p_tenant AND name = p_name AND state = 'held' AND generation = p_generation AND holder = p_holder FOR UPDATE;
  RETURN FOUND;
END $$;

CREATE FUNCTION renew_lease(p_tenant text, p_name text, p_generation bigint, p_holder uuid, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE lease SET renewed_at_ms = now_ms(p_now_ms)
    WHERE tenant = p_tenant AND name = p_name AND state = 'held' AND generation = p_generation AND holder = p_holder;
  RETURN FOUND;
END $$;

CREATE FUNCTION finish_lease(p_tenant text, p_name text, p_generation bigint, p_holder uuid, p_outcome text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE lease SET state = 'free',
    last_done_at_ms = CASE p_outcome WHEN 'done' THEN taken_at_ms ELSE last_done_at_ms END,
    last_tried_at_ms = CASE p_outcome WHEN 'killed' THEN last_tried_at_ms ELSE taken_at_ms END,
    failures = CASE p_outcome WHEN 'killed' THEN failures WHEN 'failed' THEN failures + 1 ELSE 0 END
    WHERE tenant = p_tenant AND name = p_name AND state = 'held' AND generation = p_generation AND holder = p_holder;
  RETURN FOUND;
END $$;

CREATE FUNCTION confirm_lease(p_tenant text, p_name text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE lease SET last_done_at_ms = greatest(last_done_at_ms, last_tried_at_ms) WHERE tenant = p_tenant AND name = p_name;
END $$;

-- A time in the future comes from a clock that was wrong.
CREATE FUNCTION touch_lease(p_tenant text, p_name text, p_every_ms double precision, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO lease (tenant, name) VALUES (p_tenant, p_name) ON CONFLICT DO NOTHING;
  UPDATE lease SET last_scan_at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND name = p_name
    AND (last_scan_at_ms IS NULL OR last_scan_at_ms > now_ms(p_now_ms) OR last_scan_at_ms <= now_ms(p_now_ms) - p_every_ms);
  RETURN FOUND;
END $$;

-- Days begin at midnight UTC.
CREATE FUNCTION day_of(p_now_ms double precision) RETURNS date LANGUAGE sql AS
  $$ SELECT (to_timestamp(palimpsest.now_ms(p_now_ms) / 1000) AT TIME ZONE 'UTC')::date $$;

CREATE FUNCTION spent_tokens(p_tenant text, p_name text, p_now_ms double precision) RETURNS double precision
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN coalesce((SELECT tokens FROM spent WHERE tenant = p_tenant AND name = p_name AND day = day_of(p_now_ms)), 0);
END $$;

CREATE FUNCTION spend_tokens(p_tenant text, p_name text, p_tokens double precision, p_now_ms double precision) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO spent VALUES (p_tenant, p_name, day_of(p_now_ms), p_tokens)
    ON CONFLICT (tenant, name, day) DO UPDATE SET tokens = spent.tokens + excluded.tokens;
  DELETE FROM spent WHERE tenant = p_tenant AND name = p_name AND day < day_of(p_now_ms);
END $$;

-- Addresses of agents, and the mail between them.

CREATE SEQUENCE message_number;
CREATE TABLE address (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  team text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  session text COLLATE "C" NOT NULL,
  -- Only the mailbox knows the token. With it, the mailbox sends in this name and reads its mail.
  token text NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'stopped')),
  socket text,
  host text NOT NULL,
  pid integer NOT NULL,
  renewed_at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, team, name)
) WITH (fillfactor = 70);
-- Texts are stored as bytes, because a text of PostgreSQL cannot contain NUL.
CREATE TABLE message (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  number bigint NOT NULL DEFAULT nextval('message_number'),
  team text COLLATE "C" NOT NULL,
  receiver text COLLATE "C" NOT NULL,
  sender_name text COLLATE "C" NOT NULL,
  sender_session text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  digest text NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'acknowledged')),
  sent_at_ms double precision NOT NULL,
  kind text NOT NULL,
  in_reply_to text,
  summary bytea,
  body bytea,
  PRIMARY KEY (tenant, number),
  UNIQUE (tenant, sender_session, id, team, receiver)
);
CREATE INDEX message_waiting ON message (tenant, team, receiver, number) WHERE state = 'waiting';
CREATE INDEX message_acknowledged ON message (tenant, sender_session, number) WHERE state = 'acknowledged';
ALTER TABLE address ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE message ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON address USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON message USING (tenant = current_setting('palimpsest.tenant', true));
GRANT USAGE ON SEQUENCE message_number TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON address, message TO palimpsest_worker;

-- An agent that was silent for too long counts as stopped: nobody can tell whether a process on another machine is alive.
CREATE FUNCTION address_state(p_state text, p_renewed_at_ms double precision, p_now_ms double precision, p_silent_ms double precision)
RETURNS text LANGUAGE sql AS
  $$ SELECT CASE WHEN p_state = 'running' AND palimpsest.now_ms(p_now_ms) - p_renewed_at_ms < p_silent_ms THEN 'running' ELSE 'stopped' END $$;

-- The lock of the row puts callers in order. If no row is returned, the name is registered.
CREATE FUNCTION register_address(p_tenant text, p_team text, p_name text, p_session text, p_token text, p_socket text, p_host text,
  p_pid integer, p_takeover text, p_now_ms double precision, p_silent_ms double precision)
RETURNS TABLE (name text, session text, state text, socket text, host text, pid integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_before address;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  LOOP
    INSERT INTO address VALUES (p_tenant, p_team, p_name, p_session, p_token, 'running', p_socket, p_host, p_pid, now_ms(p_now_ms))
      ON CONFLICT DO NOTHING;
    IF FOUND THEN RETURN; END IF;
    SELECT * FROM address WHERE tenant = p_tenant AND team = p_team AND name = p_name FOR UPDATE INTO v_before;
    -- Otherwise its team was disbanded in between.
    EXIT WHEN FOUND;
  END LOOP;
  IF p_takeover <> 'always' AND address_state(v_before.state, v_before.renewed_at_ms, p_now_ms, p_silent_ms) = 'running' THEN
    RETURN QUERY SELECT v_before.name, v_before.session, 'running', v_before.socket, v_before.host, v_before.pid;
    RETURN;
  END IF;
  UPDATE address SET session = p_session, token = p_token, state = 'running', socket = p_socket, host = p_host, pid = p_pid,
    renewed_at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND team = p_team AND name = p_name;
END $$;

CREATE FUNCTION list_addresses(p_tenant text, p_team text, p_now_ms double precision, p_silent_ms double precision)
RETURNS TABLE (name text, session text, state text, socket text, host text, pid integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT name, session, address_state(state, renewed_at_ms, p_now_ms, p_silent_ms), socket, host, pid FROM address
    WHERE tenant = p_tenant AND team = p_team ORDER BY name;
END $$;

-- Returns the agents that still run. If there are none, the team is deleted with its mail.
CREATE FUNCTION disband_team(p_tenant text, p_team text, p_now_ms double precision, p_silent_ms double precision) RETURNS text[]
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_running text[];
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM address WHERE tenant = p_tenant AND team = p_team ORDER BY name FOR UPDATE;
  SELECT coalesce(array_agg(name ORDER BY name), '{}') FROM address WHERE tenant = p_tenant AND team = p_team
    AND address_state(state, renewed_at_ms, p_now_ms, p_silent_ms) = 'running' INTO v_running;
  IF v_running = '{}' THEN
    DELETE FROM message WHERE tenant = p_tenant AND team = p_team;
    DELETE FROM address WHERE tenant = p_tenant AND team = p_team;
  END IF;
  RETURN v_running;
END $$;

-- Whether the name still belongs to the token. The row is written only when a renewal is due, because every poll calls this.
CREATE FUNCTION own_address(p_tenant text, p_team text, p_name text, p_token text, p_now_ms double precision, p_renew_ms double precision)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_renewed_at_ms double precision;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT renewed_at_ms FROM address WHERE tenant = p_tenant AND team = p_team AND name = p_name AND token = p_token
    AND state = 'running' INTO v_renewed_at_ms;
  IF NOT FOUND THEN RETURN false; END IF;
  IF now_ms(p_now_ms) - v_renewed_at_ms >= p_renew_ms THEN
    UPDATE address SET renewed_at_ms = now_ms(p_now_ms) WHERE tenant = p_tenant AND team = p_team AND name = p_name AND token = p_token
      AND state = 'running';
    RETURN FOUND;
  END IF;
  RETURN true;
END $$;

CREATE FUNCTION stop_address(p_tenant text, p_team text, p_name text, p_token text) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE address SET state = 'stopped' WHERE tenant = p_tenant AND team = p_team AND name = p_name AND token = p_token;
END $$;

-- Outcomes: 'lost' and 'id-taken' are one row; 'no-such-address' is one row for every name in the team; 'sent' and 'full' are one row for
-- each receiver. The rows of sender and receivers are locked in the order of their names, so that the numbers of a receiver's messages
-- rise in the order of their commits, and two agents that send to each other do not deadlock.
CREATE FUNCTION send_message(p_tenant text, p_team text, p_name text, p_token text, p_to text, p_id text, p_digest text, p_kind text,
  p_in_reply_to text, p_summary bytea, p_body bytea, p_max_waiting integer, p_now_ms double precision, p_silent_ms double precision)
RETURNS TABLE (outcome text, name text, session text, state text, socket text, host text, pid integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_session text;
  v_digest text;
  v_is_new boolean;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM address WHERE tenant = p_tenant AND team = p_team AND (p_to = '*' OR name IN (p_name, p_to)) ORDER BY name FOR UPDATE;
  SELECT session FROM address WHERE tenant = p_tenant AND team = p_team AND name = p_name AND token = p_token AND state = 'running'
    INTO v_session;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'lost', NULL, NULL, NULL, NULL, NULL, NULL::integer;
    RETURN;
  END IF;
  SELECT digest FROM message WHERE tenant = p_tenant AND sender_session = v_session AND id = p_id LIMIT 1 INTO v_digest;
  v_is_new := NOT FOUND;
  IF v_digest <> p_digest THEN
    RETURN QUERY SELECT 'id-taken', NULL, NULL, NULL, NULL, NULL, NULL::integer;
    RETURN;
  END IF;
  IF v_is_new AND p_to <> '*' AND NOT EXISTS (SELECT FROM address WHERE tenant = p_tenant AND team = p_team AND name = p_to) THEN
    RETURN QUERY SELECT 'no-such-address', name, NULL, NULL, NULL, NULL, NULL::integer FROM address
      WHERE tenant = p_tenant AND team = p_team ORDER BY name;
    RETURN;
  END IF;
  IF v_is_new THEN
    INSERT INTO message (tenant, team, receiver, sender_name, sender_session, id, digest, sent_at_ms, kind, in_reply_to, summary, body)
      SELECT p_tenant, p_team, name, p_name, v_session, p_id, p_digest, now_ms(p_now_ms), p_kind, p_in_reply_to, p_summary, p_body
      FROM address AS receiver WHERE tenant = p_tenant AND team = p_team AND (name = p_to OR p_to = '*' AND name <> p_name)
      AND (SELECT count(*) FROM message WHERE message.tenant = p_tenant AND message.team = p_team AND message.receiver = receiver.name
        AND message.state = 'waiting') < p_max_waiting;
    -- Acknowledged ids of a sender are kept to recognize what is sent again: the newest 1,000, by number, since clocks jump.
    IF FOUND THEN
      IF currval('message_number') % 64 = 0 THEN
        DELETE FROM message WHERE tenant = p_tenant AND sender_session = v_session AND state = 'acknowledged' AND number <= (
          SELECT number FROM message WHERE tenant = p_tenant AND sender_session = v_session AND state = 'acknowledged'
          ORDER BY number DESC OFFSET 1000 LIMIT 1);
      END IF;
    END IF;
  END IF;
  RETURN QUERY SELECT CASE WHEN sent.number IS NULL THEN 'full' ELSE 'sent' END, address.name, address.session,
    address_state(address.state, renewed_at_ms, p_now_ms, p_silent_ms), address.socket, address.host, address.pid
    FROM address LEFT JOIN message AS sent ON sent.tenant = p_tenant AND sent.sender_session = v_session AND sent.id = p_id
      AND sent.team = p_team AND sent.receiver = address.name
    WHERE address.tenant = p_tenant AND address.team = p_team
      AND CASE WHEN v_is_new THEN address.name = p_to OR p_to = '*' AND address.name <> p_name ELSE sent.number IS NOT NULL END
    ORDER BY address.name;
END $$;

-- No row: the name is lost. One row without a number: there is no mail.
CREATE FUNCTION receive_messages(p_tenant text, p_team text, p_name text, p_token text, p_limit integer, p_now_ms double precision,
  p_renew_ms double precision)
RETURNS TABLE (number bigint, sender_name text, sender_session text, id text, sent_at_ms double precision, kind text, in_reply_to text,
  summary bytea, body bytea)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  IF NOT own_address(p_tenant, p_team, p_name, p_token, p_now_ms, p_renew_ms) THEN RETURN; END IF;
  RETURN QUERY SELECT m.* FROM (VALUES (1)) AS one LEFT JOIN (
    SELECT number, sender_name, sender_session, id, sent_at_ms, kind, in_reply_to, summary, body FROM message
    WHERE tenant = p_tenant AND team = p_team AND receiver = p_name AND state = 'waiting' ORDER BY number LIMIT p_limit
  ) AS m ON true ORDER BY m.number;
END $$;

CREATE FUNCTION look_for_mail(p_tenant text, p_team text, p_name text, p_token text, p_after bigint, p_now_ms double precision,
  p_renew_ms double precision)
RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT own_address(p_tenant, p_team, p_name, p_token, p_now_ms, p_renew_ms) THEN RETURN 'lost'; END IF;
  RETURN CASE WHEN EXISTS (SELECT FROM message WHERE tenant = p_tenant AND team = p_team AND receiver = p_name AND state = 'waiting'
    AND number > p_after) THEN 'mail' ELSE 'none' END;
END $$;

-- The ids of acknowledged messages are kept, their texts are erased. Nobody takes the name before the transaction ends.
CREATE FUNCTION acknowledge_messages(p_tenant text, p_team text, p_name text, p_token text, p_sessions text[], p_ids text[],
  p_now_ms double precision, p_renew_ms double precision)
RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  PERFORM FROM address WHERE tenant = p_tenant AND team = p_team AND name = p_name FOR UPDATE;
  IF NOT own_address(p_tenant, p_team, p_name, p_token, p_now_ms, p_renew_ms) THEN RETURN false; END IF;
  UPDATE message SET state = 'acknowledged', summary = NULL, body = NULL FROM unnest(p_sessions, p_ids) AS seen (session, id)
    WHERE message.tenant = p_tenant AND message.team = p_team AND message.receiver = p_name
    AND message.sender_session = seen.session AND message.id = seen.id;
  RETURN true;
END $$;

-- The queue: which sessions are to run, and reminders. A worker runs the sessions of all tenants, so it takes them by one function
-- that crosses tenants, take_wakeups. That function runs as a role of its own, palimpsest_queue, which nobody can log in as and of which no
-- other role of ours is a member: so no other function takes work of more than one tenant. The role sees the columns that decide
-- who is next and nothing else, not even why a session is woken. The function returns the names of tenant and session and the number of
-- the run; everything else is read afterwards, with the name of the tenant, under row-level security. Only palimpsest_dispatcher
-- may call it: a front end that serves single tenants has no such right.

CREATE SEQUENCE run_number;

-- One row for each session that is to run or runs, and none for sessions at rest. Workers look through nothing else.
CREATE TABLE wakeup (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'held', 'set-aside')),
  -- When the session is to run. If it is held or was sent to another engine: when the process that has it counts as gone.
  due_at_ms double precision NOT NULL,
  -- Counts wakes, so that a wake during a run is not forgotten when the run ends.
  version bigint NOT NULL DEFAULT 0,
  -- The wakes that finished runs have covered.
  done_version bigint NOT NULL DEFAULT 0,
  -- Drawn from a sequence, so that no number is given twice although rows come and go.
  run bigint NOT NULL DEFAULT 0,
  -- The run that sent the session to another engine.
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
  -- The run to which the reminder was given.
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
GRANT USAGE ON SEQUENCE run_number TO palimpsest_queue, palimpsest_dispatcher;
GRANT SELECT (tenant, session, state, due_at_ms, run, attempts), INSERT (tenant, session, due_at_ms),
  UPDATE (state, due_at_ms, run, sender, attempts, set_aside_at_ms) ON wakeup TO palimpsest_queue;
GRANT SELECT (tenant, session, key, state, due_at_ms), UPDATE (state) ON reminder TO palimpsest_queue;

-- All functions take locks in the same order: reminders first, then the row of the session in wakeup.
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

-- A new time is for the next run, even if the reminder with this key was given to the run that is under way.
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

-- Gives the run the reminders that are due, and deletes the stale ones. A reminder that an earlier run was given is never stale: the log
-- may have grown by that run's own work. Returns no row if the run is lost, or if there is no reason left to run.
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

-- If a crash of the server loses a renewal, the session may be run twice, which the fence of the log makes harmless.
CREATE FUNCTION renew_run(p_tenant text, p_session text, p_run bigint, p_silent_ms double precision, p_now_ms double precision) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
  UPDATE wakeup SET due_at_ms = now_ms(p_now_ms) + p_silent_ms
    WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent');
  RETURN FOUND;
END $$;

-- Renews the run like renew_run, counts the attempt, and says whether the session was woken since the run began.
CREATE FUNCTION keep_run(p_tenant text, p_session text, p_run bigint, p_attempt integer, p_version bigint, p_silent_ms double precision, p_now_ms double precision)
RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_version bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
  UPDATE wakeup SET due_at_ms = now_ms(p_now_ms) + p_silent_ms, attempts = greatest(attempts, p_attempt)
    WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent') RETURNING version INTO v_version;
  IF NOT FOUND THEN RETURN 'lost'; END IF;
  RETURN CASE WHEN v_version > p_version THEN 'woken' ELSE 'held' END;
END $$;

-- Deletes the row, unless the session was woken since the run began.
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

-- Without a failure the attempt does not count, and a session that was woken since the run began runs at once. Sending a session to
-- another engine is no attempt.
CREATE FUNCTION give_back_run(p_tenant text, p_session text, p_run bigint, p_attempt integer, p_version bigint, p_after_ms double precision, p_failure text, p_now_ms double precision) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE wakeup SET state = 'waiting', failure = coalesce(p_failure, failure),
      due_at_ms = now_ms(p_now_ms) + CASE WHEN p_failure IS NULL AND version > p_version THEN 0 ELSE p_after_ms END,
      attempts = CASE WHEN state = 'sent' THEN attempts WHEN p_failure IS NULL THEN p_attempt - 1 ELSE p_attempt END
    WHERE tenant = p_tenant AND session = p_session AND run = p_run AND state IN ('held', 'sent');
  RETURN FOUND;
END $$;

-- Notifies those that listen, in a transaction of its own: PostgreSQL commits transactions that notify one after another, so there
-- should be few. If a crash loses a notification, the listeners find the work by polling.
CREATE FUNCTION ring(p_channels text[], p_payloads text[]) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_notify(channel, payload) FROM unnest(p_channels, p_payloads) AS rung (channel, payload);
END $$;

-- Whatever belongs to a session is deleted with it, by the owner of the tables, under the same row-level security.
CREATE FUNCTION wakeups_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM reminder WHERE tenant = OLD.tenant AND session = OLD.name;
  DELETE FROM wakeup WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER wakeups_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION wakeups_go_with_their_session();

SET LOCAL ROLE palimpsest_queue;
-- Takes one session of each tenant in turn, beginning after the tenant p_after: a tenant with a million due sessions delays another
-- tenant by one session. Rows that another worker is taking are skipped. A row without a run says that the session was set aside.
-- Taking a session in order to send it to another engine is no attempt. From the third attempt on, an attempt counts when the run is
-- first kept (keep_run): a worker that may not run the session beside another suspect gives it back, and that other session may end
-- the worker before it does.
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

-- For an engine that decides by itself who runs: takes one session that is due, or that the run p_from has sent, also once more if the
-- engine says so. A session that was sent later, or that another run has, is not taken unless that run is silent. A row without a run
-- says that the session was set aside. Attempts count as in take_wakeups.
CREATE FUNCTION take_over_wakeup(p_tenant text, p_session text, p_from bigint, p_max_attempts integer, p_silent_ms double precision, p_now_ms double precision)
RETURNS TABLE (tenant text, session text, run bigint, attempt integer) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_attempts integer;
  v_run bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT attempts FROM wakeup
    WHERE tenant = p_tenant AND session = p_session AND state <> 'set-aside'
      AND (due_at_ms <= now_ms(p_now_ms) OR state <> 'waiting' AND sender = p_from)
    FOR UPDATE INTO v_attempts;
  IF NOT FOUND THEN RETURN; END IF;
  IF v_attempts >= p_max_attempts THEN
    UPDATE wakeup SET state = 'set-aside', set_aside_at_ms = now_ms(p_now_ms), run = 0 WHERE tenant = p_tenant AND session = p_session;
  ELSE
    v_run := nextval('run_number');
    UPDATE wakeup SET state = 'held', due_at_ms = now_ms(p_now_ms) + p_silent_ms, run = v_run, sender = p_from,
        attempts = v_attempts + CASE WHEN v_attempts >= 2 THEN 0 ELSE 1 END
      WHERE tenant = p_tenant AND session = p_session;
  END IF;
  RETURN QUERY SELECT p_tenant, p_session, v_run, v_attempts + 1;
END $$;
REVOKE ALL ON FUNCTION take_over_wakeup FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_over_wakeup TO palimpsest_dispatcher;

-- Questions to people. An answer is given once, and wakes the session in the same transaction.

CREATE SEQUENCE approval_number;
CREATE TABLE approval (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  -- The order of asking.
  number bigint NOT NULL DEFAULT nextval('approval_number'),
  tool text NOT NULL,
  input text NOT NULL,
  reason text,
  asked_at_ms double precision NOT NULL,
  expires_at_ms double precision,
  decision text CHECK (decision IN ('allow', 'deny')),
  answer_reason text,
  answered_by text,
  answered_at_ms double precision,
  PRIMARY KEY (tenant, session, call_id)
);
CREATE INDEX approval_pending ON approval (tenant, number) WHERE decision IS NULL;
CREATE TRIGGER approval_is_answered_once BEFORE UPDATE ON approval FOR EACH ROW WHEN (OLD.decision IS NOT NULL)
  EXECUTE FUNCTION refuse('a question is answered once');
ALTER TABLE approval ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON approval USING (tenant = current_setting('palimpsest.tenant', true));
GRANT USAGE ON SEQUENCE approval_number TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (decision, answer_reason, answered_by, answered_at_ms) ON approval TO palimpsest_worker;

-- Returns the question as it was first asked, and the time.
CREATE FUNCTION ask_approval(p_tenant text, p_session text, p_call_id text, p_tool text, p_input text, p_reason text,
  p_expires_at_ms double precision, p_expiry_key text, p_expiry_reason text, p_now_ms double precision)
RETURNS TABLE (now_at_ms double precision, asked approval) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_now double precision := now_ms(p_now_ms);
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO approval (tenant, session, call_id, tool, input, reason, asked_at_ms, expires_at_ms)
    VALUES (p_tenant, p_session, p_call_id, p_tool, p_input, p_reason, v_now, p_expires_at_ms) ON CONFLICT DO NOTHING;
  IF FOUND AND p_expires_at_ms IS NOT NULL THEN
    PERFORM remind_session(p_tenant, p_session, p_expiry_key, p_expires_at_ms, p_expiry_reason, NULL);
  END IF;
  RETURN QUERY SELECT v_now, a FROM approval AS a WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id;
END $$;

CREATE FUNCTION read_approval(p_tenant text, p_session text, p_call_id text, p_now_ms double precision)
RETURNS TABLE (now_at_ms double precision, asked approval) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT now_ms(p_now_ms), a FROM approval AS a WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id;
END $$;

CREATE FUNCTION pending_approvals(p_tenant text, p_session text, p_after bigint, p_limit integer, p_now_ms double precision)
RETURNS SETOF approval LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_now double precision := now_ms(p_now_ms);
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  IF p_session IS NULL THEN
    RETURN QUERY SELECT * FROM approval WHERE tenant = p_tenant AND decision IS NULL AND number > p_after
      AND (expires_at_ms IS NULL OR expires_at_ms > v_now) ORDER BY number LIMIT p_limit;
  ELSE
    RETURN QUERY SELECT * FROM approval WHERE tenant = p_tenant AND session = p_session AND decision IS NULL AND number > p_after
      AND (expires_at_ms IS NULL OR expires_at_ms > v_now) ORDER BY number LIMIT p_limit;
  END IF;
END $$;

-- The lock of the row puts callers in order. Returns the row as it was before, and the time. No row: nobody asked.
CREATE FUNCTION answer_approval(p_tenant text, p_session text, p_call_id text, p_decision text, p_by text, p_reason text, p_expiry_key text,
  p_now_ms double precision)
RETURNS TABLE (now_at_ms double precision, asked approval) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_asked approval;
  v_now double precision;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT * FROM approval WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id FOR UPDATE INTO v_asked;
  IF NOT FOUND THEN RETURN; END IF;
  v_now := now_ms(p_now_ms);
  IF v_asked.decision IS NULL AND (v_asked.expires_at_ms IS NULL OR v_asked.expires_at_ms > v_now) THEN
    UPDATE approval SET decision = p_decision, answer_reason = p_reason, answered_by = p_by, answered_at_ms = v_now
      WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id;
    PERFORM cancel_reminder(p_tenant, p_session, p_expiry_key);
    PERFORM wake_session(p_tenant, p_session, p_now_ms);
  END IF;
  RETURN QUERY SELECT v_now, v_asked;
END $$;

-- Workers may not delete rows. They may take back an open question: this function does it as the owner of the tables, under the same
-- row-level security.
CREATE FUNCTION withdraw_approval(p_tenant text, p_session text, p_call_id text, p_expiry_key text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_decision text;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT decision FROM approval WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id FOR UPDATE INTO v_decision;
  IF NOT FOUND THEN RETURN 'absent'; END IF;
  IF v_decision IS NOT NULL THEN RETURN 'answered'; END IF;
  DELETE FROM approval WHERE tenant = p_tenant AND session = p_session AND call_id = p_call_id;
  PERFORM cancel_reminder(p_tenant, p_session, p_expiry_key);
  RETURN 'withdrawn';
END $$;
REVOKE ALL ON FUNCTION withdraw_approval FROM PUBLIC;
GRANT EXECUTE ON FUNCTION withdraw_approval TO palimpsest_worker;

CREATE FUNCTION approvals_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM approval WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER approvals_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION approvals_go_with_their_session();

-- What watchers of a session see. The row of a session in event_stream is its counter, and is locked until the transaction of the
-- publisher ends. The next publisher waits for it, so that an offset is visible only when all lower offsets are. A sequence would not
-- do: a transaction that took a lower number may commit later, and a reader that has seen a higher one would miss it.

CREATE TABLE event_stream (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  oldest_offset bigint NOT NULL DEFAULT 1,
  newest_offset bigint NOT NULL DEFAULT 0,
  -- The highest right to publish so far.
  fence bigint NOT NULL DEFAULT 0,
  batch text,
  PRIMARY KEY (tenant, session)
) WITH (fillfactor = 70);
-- One row for each batch, because deltas of a text come a few at a time.
CREATE TABLE event (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  last_offset bigint NOT NULL,
  first_offset bigint NOT NULL,
  at_ms double precision NOT NULL,
  payload text NOT NULL,
  PRIMARY KEY (tenant, session, last_offset)
);
ALTER TABLE event_stream ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON event_stream USING (tenant = current_setting('palimpsest.tenant', true));
CREATE POLICY own_tenant ON event USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, UPDATE ON event_stream TO palimpsest_worker;
GRANT SELECT, INSERT, DELETE ON event TO palimpsest_worker;

-- The transaction is on disk before this returns: after a crash of the server, no watcher has an offset that is given to another event.
CREATE FUNCTION publish_events(p_tenant text, p_session text, p_count integer, p_payload text, p_fence bigint, p_batch text,
  p_now_ms double precision)
RETURNS TABLE (outcome text, newest_offset bigint, fence bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_stream event_stream;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  SELECT * FROM event_stream WHERE tenant = p_tenant AND session = p_session FOR UPDATE INTO v_stream;
  IF NOT FOUND THEN
    INSERT INTO event_stream (tenant, session) VALUES (p_tenant, p_session) ON CONFLICT DO NOTHING;
    SELECT * FROM event_stream WHERE tenant = p_tenant AND session = p_session FOR UPDATE INTO v_stream;
  END IF;
  IF p_fence < v_stream.fence THEN
    RETURN QUERY SELECT 'fenced', v_stream.newest_offset, v_stream.fence;
    RETURN;
  END IF;
  IF p_count = 0 OR p_batch = v_stream.batch THEN
    RETURN QUERY SELECT 'published', v_stream.newest_offset, v_stream.fence;
    RETURN;
  END IF;
  UPDATE event_stream SET newest_offset = v_stream.newest_offset + p_count, fence = greatest(v_stream.fence, p_fence),
      batch = coalesce(p_batch, v_stream.batch)
    WHERE tenant = p_tenant AND session = p_session;
  INSERT INTO event VALUES (p_tenant, p_session, v_stream.newest_offset + p_count, v_stream.newest_offset + 1, now_ms(p_now_ms), p_payload);
  RETURN QUERY SELECT 'published', v_stream.newest_offset + p_count, v_stream.fence;
END $$;

-- One statement, so that the ends of the stream and its events are from the same moment. No row: nothing was ever published.
CREATE FUNCTION read_events(p_tenant text, p_session text, p_after bigint, p_limit integer)
RETURNS TABLE (oldest_offset bigint, newest_offset bigint, first_offset bigint, payload text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT s.oldest_offset, s.newest_offset, e.first_offset, e.payload FROM event_stream AS s
    LEFT JOIN LATERAL (SELECT * FROM event WHERE tenant = p_tenant AND session = p_session AND last_offset > p_after
      ORDER BY last_offset LIMIT p_limit) AS e ON true
    WHERE s.tenant = p_tenant AND s.session = p_session ORDER BY e.last_offset;
END $$;

-- For all sessions that a process watches, in one call.
CREATE FUNCTION newest_events(p_tenant text, p_sessions text[]) RETURNS TABLE (session text, newest_offset bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT session, newest_offset FROM event_stream WHERE tenant = p_tenant AND session = ANY (p_sessions);
END $$;

-- Looks at one page of sessions in the order of their names. An index by time would slow down every publisher.
CREATE FUNCTION prune_events(p_tenant text, p_before_ms double precision, p_after text, p_limit integer)
RETURNS TABLE (session text, pruned bigint) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_session text;
  v_pruned bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  FOR v_session IN SELECT s.session FROM event_stream AS s WHERE s.tenant = p_tenant AND s.session > p_after ORDER BY s.session LIMIT p_limit LOOP
    -- Locked first: a publisher that waits finds the stream as it is then.
    PERFORM FROM event_stream AS s WHERE s.tenant = p_tenant AND s.session = v_session FOR UPDATE;
    -- From the beginning on, whatever the clock did: there are never holes.
    DELETE FROM event AS e WHERE e.tenant = p_tenant AND e.session = v_session AND e.last_offset < coalesce((SELECT min(kept.last_offset)
      FROM event AS kept WHERE kept.tenant = p_tenant AND kept.session = v_session AND kept.at_ms >= p_before_ms), 'infinity'::float8);
    GET DIAGNOSTICS v_pruned = ROW_COUNT;
    IF v_pruned > 0 THEN
      UPDATE event_stream AS s SET oldest_offset = coalesce((SELECT min(e.first_offset) FROM event AS e
        WHERE e.tenant = p_tenant AND e.session = v_session), s.newest_offset + 1) WHERE s.tenant = p_tenant AND s.session = v_session;
    END IF;
    RETURN QUERY SELECT v_session, v_pruned;
  END LOOP;
END $$;

-- After a restore, watchers may have offsets of events that are gone, and those offsets would be given to other events. All offsets rise,
-- which tells the watchers.
CREATE FUNCTION raise_offsets(p_tenant text, p_by bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM event WHERE tenant = p_tenant;
  UPDATE event_stream SET newest_offset = newest_offset + p_by, oldest_offset = newest_offset + p_by + 1, batch = NULL WHERE tenant = p_tenant;
END $$;
REVOKE ALL ON FUNCTION raise_offsets FROM PUBLIC;
GRANT EXECUTE ON FUNCTION raise_offsets TO palimpsest_operator;

CREATE FUNCTION events_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM event WHERE tenant = OLD.tenant AND session = OLD.name;
  DELETE FROM event_stream WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER events_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION events_go_with_their_session();

-- What was said to sessions and is not in their logs yet. An item is added and its session is woken in one transaction. The row of the
-- session in wakeup is locked before a number is drawn, so that numbers become visible in their order, and a session that takes in
-- items by rising numbers misses none.

CREATE SEQUENCE inbox_number;
CREATE TABLE inbox (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  -- Null once the item is in the log. The key is kept, so that an item that is sent again is recognized.
  payload text,
  added_at_ms double precision NOT NULL,
  -- Tells an item that is sent again from another item under the same key, also when the payload is null. The fingerprint of an encrypted
  -- item is computed with a key of the tenant, so that nobody can guess the item by it.
  fingerprint text,
  -- The trace to which the item belongs.
  traceparent text,
  PRIMARY KEY (tenant, session, key)
);
CREATE UNIQUE INDEX inbox_waiting ON inbox (tenant, session, number) WHERE payload IS NOT NULL;
ALTER TABLE inbox ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON inbox USING (tenant = current_setting('palimpsest.tenant', true));
GRANT USAGE ON SEQUENCE inbox_number TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (payload) ON inbox TO palimpsest_worker;

CREATE FUNCTION add_to_inbox(p_tenant text, p_session text, p_key text, p_payload text, p_fingerprints text[], p_traceparent text,
  p_now_ms double precision)
RETURNS TABLE (outcome text, number bigint, woken text) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_woken text;
  v_number bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  v_woken := wake_session(p_tenant, p_session, p_now_ms);
  INSERT INTO inbox (tenant, session, key, number, payload, fingerprint, traceparent, added_at_ms)
    VALUES (p_tenant, p_session, p_key, nextval('inbox_number'), p_payload, p_fingerprints[1], p_traceparent, now_ms(p_now_ms))
    ON CONFLICT (tenant, session, key) DO NOTHING RETURNING number INTO v_number;
  IF FOUND THEN
    RETURN QUERY SELECT 'added', v_number, v_woken;
  ELSE
    RETURN QUERY SELECT CASE WHEN fingerprint = ANY (p_fingerprints) THEN 'known' ELSE 'different' END, number, v_woken
      FROM inbox WHERE tenant = p_tenant AND session = p_session AND key = p_key;
  END IF;
END $$;

CREATE FUNCTION read_inbox(p_tenant text, p_session text, p_limit integer)
RETURNS TABLE (number bigint, key text, payload text, traceparent text, added_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT number, key, payload, traceparent, added_at_ms FROM inbox
    WHERE tenant = p_tenant AND session = p_session AND payload IS NOT NULL ORDER BY number LIMIT p_limit;
END $$;

-- Returns the number of items.
CREATE FUNCTION acknowledge_inbox(p_tenant text, p_session text, p_numbers bigint[]) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_rows bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  UPDATE inbox SET payload = NULL WHERE tenant = p_tenant AND session = p_session AND payload IS NOT NULL AND number = ANY (p_numbers);
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  RETURN v_rows;
END $$;

CREATE FUNCTION inboxes_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM inbox WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER inboxes_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION inboxes_go_with_their_session();

-- Deletes what belongs to a session whose log is kept elsewhere. The triggers above do the same for a session in this database.
CREATE FUNCTION forget_session(p_tenant text, p_session text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_rows bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  WITH reminders AS (DELETE FROM reminder WHERE tenant = p_tenant AND session = p_session RETURNING 1),
    wakeups AS (DELETE FROM wakeup WHERE tenant = p_tenant AND session = p_session RETURNING 1),
    items AS (DELETE FROM inbox WHERE tenant = p_tenant AND session = p_session RETURNING 1),
    approvals AS (DELETE FROM approval WHERE tenant = p_tenant AND session = p_session RETURNING 1),
    events AS (DELETE FROM event WHERE tenant = p_tenant AND session = p_session RETURNING 1),
    streams AS (DELETE FROM event_stream WHERE tenant = p_tenant AND session = p_session RETURNING 1)
  SELECT count(*) INTO v_rows FROM (TABLE reminders UNION ALL TABLE wakeups UNION ALL TABLE items UNION ALL TABLE approvals
    UNION ALL TABLE events UNION ALL TABLE streams) AS gone;
  RETURN v_rows;
END $$;
REVOKE ALL ON FUNCTION forget_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_session TO palimpsest_worker;

-- What operators see of a fleet: the rows of all tenants, with the names of tenants and sessions and without contents. Only an
-- operator may call fleet_overview.

CREATE POLICY every_tenant ON wakeup FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');
CREATE POLICY every_tenant ON inbox FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');
CREATE POLICY every_tenant ON approval FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');

-- A run belongs to the process that has the log of the session open. A run that was taken just now may have no such process yet.
CREATE FUNCTION fleet_overview(p_limit integer, p_now_ms double precision) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_now double precision := now_ms(p_now_ms);
  v_overview jsonb;
BEGIN
  PERFORM set_config('palimpsest.every_tenant', 'on', true);
  WITH running AS (
    SELECT w.tenant, w.session, w.attempts, s.owner, s.worker, s.active_at_ms FROM wakeup AS w
      LEFT JOIN session AS s ON s.tenant = w.tenant AND s.name = w.session AND s.state = 'open'
      WHERE w.state = 'held' AND w.due_at_ms > v_now
  ), question AS (
    SELECT tenant, session, tool, asked_at_ms FROM approval
      WHERE decision IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > v_now)
  )
  SELECT jsonb_build_object(
    'atMs', v_now,
    'queue', (SELECT jsonb_strip_nulls(jsonb_build_object(
      'running', count(*) FILTER (WHERE state = 'held' AND due_at_ms > v_now),
      'due', count(*) FILTER (WHERE state = 'sent' OR state <> 'set-aside' AND due_at_ms <= v_now),
      'later', count(*) FILTER (WHERE state = 'waiting' AND due_at_ms > v_now),
      'setAside', count(*) FILTER (WHERE state = 'set-aside'),
      'oldestDueAtMs', min(due_at_ms) FILTER (WHERE state <> 'set-aside' AND due_at_ms <= v_now),
      'nextDueAtMs', min(due_at_ms) FILTER (WHERE state = 'waiting' AND due_at_ms > v_now))) FROM wakeup),
    'inbox', (SELECT jsonb_strip_nulls(jsonb_build_object('items', count(*), 'sessions', count(DISTINCT (tenant, session)),
      'oldestAtMs', min(added_at_ms))) FROM inbox WHERE payload IS NOT NULL),
    'questions', (SELECT jsonb_strip_nulls(jsonb_build_object('open', count(*), 'sessions', count(DISTINCT (tenant, session)),
      'oldestAtMs', min(asked_at_ms))) FROM question),
    'workers', (SELECT coalesce(jsonb_agg(to_jsonb(one) ORDER BY runs DESC, worker), '[]') FROM (
      SELECT worker::text, max(owner) AS owner, count(*) AS runs FROM running WHERE worker IS NOT NULL
        GROUP BY worker ORDER BY count(*) DESC, worker LIMIT p_limit) AS one),
    'running', (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(one)) ORDER BY "activeAtMs"), '[]') FROM (
      SELECT tenant, session, attempts AS attempt, owner, active_at_ms AS "activeAtMs" FROM running
        ORDER BY active_at_ms LIMIT p_limit) AS one),
    'waiting', (SELECT coalesce(jsonb_agg(to_jsonb(one) ORDER BY "askedAtMs"), '[]') FROM (
      SELECT tenant, session, tool, asked_at_ms AS "askedAtMs" FROM question ORDER BY asked_at_ms LIMIT p_limit) AS one),
    'setAside', (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(one)) ORDER BY "setAsideAtMs" DESC), '[]') FROM (
      SELECT tenant, session, attempts, set_aside_at_ms AS "setAsideAtMs", failure FROM wakeup WHERE state = 'set-aside'
        ORDER BY set_aside_at_ms DESC LIMIT p_limit) AS one)
  ) INTO v_overview;
  PERFORM set_config('palimpsest.every_tenant', '', true);
  RETURN v_overview;
END $$;
REVOKE ALL ON FUNCTION fleet_overview FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fleet_overview TO palimpsest_operator;
`;
