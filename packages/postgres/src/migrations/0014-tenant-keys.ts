/** Keys of tenants, each wrapped by a master key that the database never sees. */
export const TENANT_KEYS = `
CREATE TABLE tenant_key (
  tenant text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  id text COLLATE "C" NOT NULL,
  -- 'payload' is rotated: the highest number encrypts, the others still decrypt. 'names' has one.
  purpose text NOT NULL CHECK (purpose IN ('payload', 'names')),
  number integer NOT NULL,
  wrapped bytea NOT NULL,
  at_ms double precision NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX tenant_key_by_number ON tenant_key (tenant, purpose, number);
ALTER TABLE tenant_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tenant_key USING (tenant = current_setting('palimpsest.tenant', true));
GRANT SELECT, INSERT, DELETE ON tenant_key TO palimpsest_worker;

CREATE FUNCTION newest_key(p_tenant text, p_purpose text) RETURNS SETOF tenant_key LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM tenant_key WHERE tenant = p_tenant AND purpose = p_purpose ORDER BY number DESC LIMIT 1;
END $$;

CREATE FUNCTION find_key(p_tenant text, p_id text) RETURNS SETOF tenant_key LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM tenant_key WHERE tenant = p_tenant AND id = p_id;
END $$;

-- Returns the key that has this number now: this one, or that of whoever was first.
CREATE FUNCTION add_key(p_tenant text, p_id text, p_purpose text, p_number integer, p_wrapped bytea) RETURNS SETOF tenant_key
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  INSERT INTO tenant_key VALUES (p_tenant, p_id, p_purpose, p_number, p_wrapped, now_ms(NULL)) ON CONFLICT (tenant, purpose, number) DO NOTHING;
  RETURN QUERY SELECT * FROM tenant_key WHERE tenant = p_tenant AND purpose = p_purpose AND number = p_number;
END $$;

CREATE FUNCTION forget_keys(p_tenant text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('palimpsest.tenant', p_tenant, true);
  DELETE FROM tenant_key WHERE tenant = p_tenant;
END $$;
`;
