/**
 * What was said to sessions and is not in their logs yet. An item and a wake of its session are one transaction. The session's wake-up
 * is locked before a number is drawn: so numbers become visible in their order, and who takes items in by rising numbers misses none.
 */
export const INBOX = `
CREATE SEQUENCE inbox_number;
CREATE TABLE inbox (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  session text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  -- Gone once the item is in the log. The key stays, so that nobody says a thing twice.
  payload text,
  added_at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, session, key)
);
CREATE UNIQUE INDEX inbox_waiting ON inbox (tenant, session, number) WHERE payload IS NOT NULL;
ALTER TABLE inbox ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON inbox USING (tenant = current_setting('palimpsest.tenant', true));
GRANT USAGE ON SEQUENCE inbox_number TO palimpsest_worker;
GRANT SELECT, INSERT, UPDATE (payload) ON inbox TO palimpsest_worker;

CREATE FUNCTION add_to_inbox(p_tenant text, p_session text, p_key text, p_payload text, p_now_ms double precision)
RETURNS TABLE (outcome text, number bigint, woken text) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_woken text;
  v_number bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  v_woken := wake_session(p_tenant, p_session, p_now_ms);
  INSERT INTO inbox (tenant, session, key, number, payload, added_at_ms)
    VALUES (p_tenant, p_session, p_key, nextval('inbox_number'), p_payload, now_ms(p_now_ms))
    ON CONFLICT (tenant, session, key) DO NOTHING RETURNING number INTO v_number;
  IF FOUND THEN
    RETURN QUERY SELECT 'added', v_number, v_woken;
  ELSE
    RETURN QUERY SELECT 'known', number, v_woken FROM inbox WHERE tenant = p_tenant AND session = p_session AND key = p_key;
  END IF;
END $$;

CREATE FUNCTION read_inbox(p_tenant text, p_session text, p_limit integer)
RETURNS TABLE (number bigint, key text, payload text, added_at_ms double precision) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT number, key, payload, added_at_ms FROM inbox
    WHERE tenant = p_tenant AND session = p_session AND payload IS NOT NULL ORDER BY number LIMIT p_limit;
END $$;

-- Returns how many there were.
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

-- As renew_run, counts the attempt, and says whether the session was woken since the run began.
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

CREATE FUNCTION inboxes_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM inbox WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER inboxes_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION inboxes_go_with_their_session();
`;
