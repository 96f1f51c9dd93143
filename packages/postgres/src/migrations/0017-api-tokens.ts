/** Tokens of the HTTP API, by the digest of their secret. A token names its tenant, so that it is found under row-level security. */
export const API_TOKENS = `
CREATE TABLE api_token (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  digest text NOT NULL,
  created_at_ms double precision NOT NULL,
  expires_at_ms double precision,
  requests_per_minute integer,
  PRIMARY KEY (tenant, id)
);
ALTER TABLE api_token ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON api_token USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, DELETE ON api_token TO palimpsest_worker;

CREATE FUNCTION add_api_token(p_tenant text, p_id text, p_name text, p_scopes text[], p_digest text, p_created_at_ms double precision,
  p_expires_at_ms double precision, p_requests_per_minute integer) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO api_token VALUES (p_tenant, p_id, p_name, p_scopes, p_digest, p_created_at_ms, p_expires_at_ms, p_requests_per_minute);
END $$;

CREATE FUNCTION find_api_token(p_tenant text, p_id text) RETURNS SETOF api_token LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM api_token WHERE tenant = p_tenant AND id = p_id;
END $$;

CREATE FUNCTION list_api_tokens(p_tenant text) RETURNS SETOF api_token LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM api_token WHERE tenant = p_tenant ORDER BY created_at_ms, id;
END $$;

CREATE FUNCTION revoke_api_token(p_tenant text, p_id text) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM api_token WHERE tenant = p_tenant AND id = p_id;
  RETURN FOUND;
END $$;
`;
