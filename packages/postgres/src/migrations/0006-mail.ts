/** Addresses of agents and the mail between them. */
export const MAIL = `
CREATE SEQUENCE message_number;
CREATE TABLE address (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  team text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  session text COLLATE "C" NOT NULL,
  -- Only the mailbox knows it: it sends in this name and reads its mail.
  token text NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'stopped')),
  socket text,
  host text NOT NULL,
  pid integer NOT NULL,
  renewed_at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, team, name)
) WITH (fillfactor = 70);
-- Texts are bytes: a text of PostgreSQL cannot have a NUL.
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

-- An agent that was silent for long has no process: nobody can tell whether a process on another machine is alive.
CREATE FUNCTION address_state(p_state text, p_renewed_at_ms double precision, p_now_ms double precision, p_silent_ms double precision)
RETURNS text LANGUAGE sql AS
  $$ SELECT CASE WHEN p_state = 'running' AND palimpsest.now_ms(p_now_ms) - p_renewed_at_ms < p_silent_ms THEN 'running' ELSE 'stopped' END $$;

-- The row's lock orders those that register the name at once. Without a row in the answer it is registered.
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

-- Returns who still runs; nobody: the team is gone, with its mail.
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

-- Whether the token still has the name. It is renewed when that is due, and not written otherwise: this is asked with every poll.
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

-- Outcomes, one row each: 'lost'; 'id-taken'; 'no-such-address', for every name there is; 'sent' and 'full', for every receiver.
-- The rows of sender and receivers are locked in the order of their names: the numbers of a receiver's messages rise in the order of
-- their commits, and two that send to each other do not wait for each other in a circle.
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

-- No row: the name is lost. A row without a number: there is no mail.
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

-- The ids of acknowledged messages stay; their texts go. Nobody takes the name before the transaction ends.
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
`;
