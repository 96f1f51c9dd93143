/**
 * For an engine that decides by itself who runs: takes one session that is due, or that another run has. What counts attempts, reminds and
 * sets sessions aside stays the same. Only who may take sessions of all tenants draws numbers of runs.
 */
export const TAKE_OVER = `
GRANT USAGE ON SEQUENCE run_number TO palimpsest_dispatcher;

-- Whoever was sent by the run p_from takes the session from it, and again if the engine says so; what was sent later, or runs otherwise, is not
-- for it, unless whoever has it is silent. A row without a run: the session was set aside. Attempts count as in take_wakeups.
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
`;
