/**
 * An item that was given under the key of another one is told apart from one that is given again, also when the contents of the first one are
 * gone. Fingerprints of encrypted items come with the names under which a tenant's key gives them: so nobody can guess an item by them.
 */
export const INBOX_FINGERPRINTS = `
ALTER TABLE inbox ADD COLUMN fingerprint text;

DROP FUNCTION add_to_inbox;
CREATE FUNCTION add_to_inbox(p_tenant text, p_session text, p_key text, p_payload text, p_fingerprints text[], p_now_ms double precision)
RETURNS TABLE (outcome text, number bigint, woken text) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  v_woken text;
  v_number bigint;
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  v_woken := wake_session(p_tenant, p_session, p_now_ms);
  INSERT INTO inbox (tenant, session, key, number, payload, fingerprint, added_at_ms)
    VALUES (p_tenant, p_session, p_key, nextval('inbox_number'), p_payload, p_fingerprints[1], now_ms(p_now_ms))
    ON CONFLICT (tenant, session, key) DO NOTHING RETURNING number INTO v_number;
  IF FOUND THEN
    RETURN QUERY SELECT 'added', v_number, v_woken;
  ELSE
    RETURN QUERY SELECT CASE WHEN fingerprint = ANY (p_fingerprints) THEN 'known' ELSE 'different' END, number, v_woken
      FROM inbox WHERE tenant = p_tenant AND session = p_session AND key = p_key;
  END IF;
END $$;
`;
