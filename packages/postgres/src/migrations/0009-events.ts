/**
 * What watchers of a session see. The row of a session in \`event_stream\` is its counter, and locked until the publisher's transaction ends: the
 * next publisher waits, so that an offset is visible only when all lower ones are. A sequence would not do: a transaction that took the lower
 * number may commit later, and a reader that has seen the higher one would never see it.
 */
export const EVENTS = `
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
-- One row for each batch: deltas of a text come a few at a time.
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

-- Synced before it returns: after a crash of the server no watcher has an offset that is given to another event.
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

-- One statement, so that the ends of the stream and its events are of one moment. No row: nothing was ever published.
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

-- For all sessions that a process watches, at once.
CREATE FUNCTION newest_events(p_tenant text, p_sessions text[]) RETURNS TABLE (session text, newest_offset bigint)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT session, newest_offset FROM event_stream WHERE tenant = p_tenant AND session = ANY (p_sessions);
END $$;

-- Looks at a page of sessions in the order of their names, because an index by time would cost every publisher.
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

CREATE FUNCTION events_go_with_their_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  DELETE FROM event WHERE tenant = OLD.tenant AND session = OLD.name;
  DELETE FROM event_stream WHERE tenant = OLD.tenant AND session = OLD.name;
  RETURN NULL;
END $$;
CREATE TRIGGER events_go_with_their_session AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION events_go_with_their_session();
`;
