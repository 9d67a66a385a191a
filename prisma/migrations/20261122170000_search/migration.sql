-- Search over resources without an extension: prefixes by B-tree, parts of a name by GIN over its trigrams.

-- The trigrams of a name, each with the end of its project's id: an index entry is of one project only. Costly, so that a
-- plan asks the index and does not compute them row by row.
CREATE FUNCTION search_terms(scope uuid, name text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
  SELECT ARRAY(SELECT DISTINCT coalesce(right(scope::text, 12), '') || substr(lower(name), n, 3)
    FROM generate_series(1, length(name) - 2) AS n)
$$;

CREATE INDEX "instances_prefix_idx" ON "instances" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "instances_terms_idx" ON "instances" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE INDEX "volumes_prefix_idx" ON "volumes" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "volumes_terms_idx" ON "volumes" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE INDEX "snapshots_prefix_idx" ON "snapshots" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "snapshots_terms_idx" ON "snapshots" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE INDEX "images_prefix_idx" ON "images" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "images_terms_idx" ON "images" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE INDEX "networks_prefix_idx" ON "networks" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "networks_terms_idx" ON "networks" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE INDEX "security_groups_prefix_idx" ON "security_groups" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "security_groups_terms_idx" ON "security_groups" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE INDEX "key_pairs_prefix_idx" ON "key_pairs" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "key_pairs_terms_idx" ON "key_pairs" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE INDEX "secrets_prefix_idx" ON "secrets" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "secrets_terms_idx" ON "secrets" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);

CREATE INDEX "ports_project_id_ip_idx" ON "ports" (project_id, ip);
CREATE INDEX "ports_mac_idx" ON "ports" (project_id, lower(mac) text_pattern_ops);

-- The back office finds tenants and users.
CREATE INDEX "projects_name_prefix_idx" ON "projects" (lower(name) text_pattern_ops);
CREATE INDEX "projects_name_terms_idx" ON "projects" USING gin (search_terms(NULL, name)) WITH (fastupdate = off);
CREATE INDEX "projects_slug_prefix_idx" ON "projects" (lower(slug) text_pattern_ops);
CREATE INDEX "projects_slug_terms_idx" ON "projects" USING gin (search_terms(NULL, slug)) WITH (fastupdate = off);
CREATE INDEX "users_name_prefix_idx" ON "users" (lower(name) text_pattern_ops);
CREATE INDEX "users_name_terms_idx" ON "users" USING gin (search_terms(NULL, name)) WITH (fastupdate = off);
CREATE INDEX "users_email_prefix_idx" ON "users" (lower(email) text_pattern_ops);
CREATE INDEX "users_email_terms_idx" ON "users" USING gin (search_terms(NULL, email)) WITH (fastupdate = off);
