/** Questions to people. An answer is given once, and wakes the session in the same transaction. */
export const APPROVALS = `
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

-- Returns the question as it was asked first, and the time.
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

-- The row's lock orders those that answer at once. Returns the row as it was before, and the time; no row: nobody asked.
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

-- Workers may not delete: they may take an open question back, which its owner does, under the same row-level security.
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
`;
