/** After a restore, watchers may have offsets of events that are gone and would be given to others. They are told so: all offsets rise. */
export const RESTORED_EVENTS = `
CREATE FUNCTION raise_offsets(p_tenant text, p_by bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM event WHERE tenant = p_tenant;
  UPDATE event_stream SET newest_offset = newest_offset + p_by, oldest_offset = newest_offset + p_by + 1, batch = NULL WHERE tenant = p_tenant;
END $$;
REVOKE ALL ON FUNCTION raise_offsets FROM PUBLIC;
GRANT EXECUTE ON FUNCTION raise_offsets TO palimpsest_operator;
`;
