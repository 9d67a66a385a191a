-- Networks, routers, floating IPs and buckets report metrics, so they are devices. No statement makes or removes them
-- without the row.
CREATE FUNCTION device_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO devices (project_id, id, kind) VALUES (NEW.project_id, NEW.id, TG_ARGV[0]);
  RETURN NULL;
END $$;

CREATE FUNCTION device_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM devices WHERE project_id = OLD.project_id AND id = OLD.id;
  RETURN NULL;
END $$;

INSERT INTO "devices" (project_id, id, kind)
SELECT project_id, id, 'network' FROM "networks" UNION ALL SELECT project_id, id, 'router' FROM "routers"
UNION ALL SELECT project_id, id, 'floating_ip' FROM "floating_ips" UNION ALL SELECT project_id, id, 'bucket' FROM "buckets";

CREATE TRIGGER networks_device_added AFTER INSERT ON "networks" FOR EACH ROW EXECUTE FUNCTION device_added('network');
CREATE TRIGGER networks_device_removed AFTER DELETE ON "networks" FOR EACH ROW EXECUTE FUNCTION device_removed();
CREATE TRIGGER routers_device_added AFTER INSERT ON "routers" FOR EACH ROW EXECUTE FUNCTION device_added('router');
CREATE TRIGGER routers_device_removed AFTER DELETE ON "routers" FOR EACH ROW EXECUTE FUNCTION device_removed();
CREATE TRIGGER floating_ips_device_added AFTER INSERT ON "floating_ips" FOR EACH ROW EXECUTE FUNCTION device_added('floating_ip');
CREATE TRIGGER floating_ips_device_removed AFTER DELETE ON "floating_ips" FOR EACH ROW EXECUTE FUNCTION device_removed();
CREATE TRIGGER buckets_device_added AFTER INSERT ON "buckets" FOR EACH ROW EXECUTE FUNCTION device_added('bucket');
CREATE TRIGGER buckets_device_removed AFTER DELETE ON "buckets" FOR EACH ROW EXECUTE FUNCTION device_removed();

-- Routers are in searches and in the inventory, and have tags.
CREATE INDEX "routers_prefix_idx" ON "routers" (project_id, lower(name) text_pattern_ops);
CREATE INDEX "routers_terms_idx" ON "routers" USING gin (search_terms(project_id, name)) WITH (fastupdate = off);
CREATE TRIGGER routers_untagged AFTER DELETE ON "routers" FOR EACH ROW EXECUTE FUNCTION resource_untagged();
