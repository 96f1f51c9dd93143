/**
 * What operators see of a fleet. Items of inboxes carry the trace that they belong to. `fleet_overview` sees the rows of all tenants, with the
 * names of tenants and sessions and without contents: only an operator may call it.
 */
export const FLEET_OVERVIEW = `
ALTER TABLE inbox ADD COLUMN traceparent text;

DROP FUNCTION add_to_inbox;
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

DROP FUNCTION read_inbox;
CREATE FUNCTION read_inbox(p_tenant text, p_session text, p_limit integer)
RETURNS TABLE (number bigint, key text, payload text, traceparent text, added_at_ms double precision)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT number, key, payload, traceparent, added_at_ms FROM inbox
    WHERE tenant = p_tenant AND session = p_session AND payload IS NOT NULL ORDER BY number LIMIT p_limit;
END $$;

CREATE POLICY every_tenant ON wakeup FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');
CREATE POLICY every_tenant ON inbox FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');
CREATE POLICY every_tenant ON approval FOR SELECT TO palimpsest_owner USING (current_setting('palimpsest.every_tenant', true) = 'on');

-- A run belongs to the process that has the session's log open: a run that was taken just now may have none yet.
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
