/** Removes what belongs to a session whose log is kept elsewhere: logs in this database take it with them when they are deleted. */
export const FORGET_SESSIONS = `
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
`;
