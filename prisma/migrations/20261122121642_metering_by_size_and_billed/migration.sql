-- One trigger meters every table (docs/decisions/0022). Spans, accruals and states that exist stay as they are.
DROP TRIGGER "instances_come" ON "instances";
DROP TRIGGER "instances_go" ON "instances";
DROP TRIGGER "instances_move" ON "instances";
DROP TRIGGER "volumes_come" ON "volumes";
DROP TRIGGER "volumes_go" ON "volumes";
DROP TRIGGER "volumes_move" ON "volumes";
DROP TRIGGER "snapshots_come" ON "snapshots";
DROP TRIGGER "snapshots_go" ON "snapshots";
DROP TRIGGER "snapshots_move" ON "snapshots";
DROP TRIGGER "images_come" ON "images";
DROP TRIGGER "images_go" ON "images";
DROP TRIGGER "images_move" ON "images";
DROP FUNCTION instance_moved();
DROP FUNCTION meter_instance(instances, boolean, timestamptz);
DROP FUNCTION volume_moved();
DROP FUNCTION volume_held(volumes);
DROP FUNCTION snapshot_moved();
DROP FUNCTION image_moved();
DROP FUNCTION meter_stored(uuid, text, text, uuid, text, text, numeric, numeric, timestamptz);

-- The trigger of every metered table, which has the columns id, project_id, name and status, and two functions:
--   size(row)    what the resource is made of, in any status: a quantity per metric
--   billed(row)  what is billed in this status: a quantity per metric; NULL, for one metric or for all: as it was;
--                a metric that is not named: nothing
-- Both read only the row and what never changes. A row without a project is not metered, and nothing is written when
-- neither status, size nor what is billed has changed.
--
-- The first argument is the resource's type. The second, for tables with the column lost_at, names the metrics that end
-- at that earlier moment when it is set: the resource turned out to have been off since.
--
-- Metrics are taken in the order of their names, so that no two statements wait for each other.
CREATE FUNCTION resource_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz(3) := platform_now();
  lost boolean := false;
  present jsonb;
  held record;
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.project_id IS NULL THEN RETURN NULL; END IF;
    INSERT INTO resource_states (project_id, resource_type, resource_id, status, size, at)
    VALUES (OLD.project_id, TG_ARGV[0], OLD.id, 'gone', size(OLD), at);
    FOR held IN SELECT metric FROM spans WHERE resource_id = OLD.id AND ended_at IS NULL ORDER BY metric LOOP
      PERFORM meter(OLD.project_id, held.metric, TG_ARGV[0], OLD.id, OLD.name, 0, at);
    END LOOP;
    RETURN NULL;
  END IF;
  IF NEW.project_id IS NULL THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' THEN
    IF TG_NARGS > 1 THEN lost := NEW.lost_at IS DISTINCT FROM OLD.lost_at AND NEW.lost_at IS NOT NULL; END IF;
    IF lost THEN
      INSERT INTO resource_states (project_id, resource_type, resource_id, status, size, at)
      VALUES (NEW.project_id, TG_ARGV[0], NEW.id, 'lost', '{}', NEW.lost_at);
      PERFORM unmeter_since(NEW.project_id, TG_ARGV[1]::text[], NEW.id, NEW.lost_at, at);
    ELSIF (OLD.status, size(OLD), billed(OLD)) IS NOT DISTINCT FROM (NEW.status, size(NEW), billed(NEW)) THEN
      RETURN NULL;
    END IF;
  END IF;
  INSERT INTO resource_states (project_id, resource_type, resource_id, status, size, at)
  VALUES (NEW.project_id, TG_ARGV[0], NEW.id, NEW.status, size(NEW), at);
  present := billed(NEW);
  -- Nothing to compare: most resources cost nothing when they are created.
  IF present IS NULL OR (TG_OP = 'INSERT' AND present = '{}') THEN RETURN NULL; END IF;
  FOR held IN
    SELECT metric, coalesce(part.quantity::numeric, 0) AS quantity
    FROM jsonb_each_text(present) AS part (metric, quantity)
    FULL JOIN (SELECT metric, quantity FROM spans WHERE resource_id = NEW.id AND ended_at IS NULL) AS past USING (metric)
    WHERE (part.metric IS NULL OR part.quantity IS NOT NULL)
      AND coalesce(part.quantity::numeric, 0) <> coalesce(past.quantity, 0)
    ORDER BY metric
  LOOP
    PERFORM meter(NEW.project_id, held.metric, TG_ARGV[0], NEW.id, NEW.name, held.quantity, at);
  END LOOP;
  RETURN NULL;
END $$;

-- Compute is billed while an instance is on; its boot disk from the first start until it is deleted.
-- PL/pgSQL keeps the plan of a query for the whole session.
CREATE FUNCTION size(i instances) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT jsonb_build_object('block_storage', f.disk_gb, 'compute_memory', f.ram_gb, 'compute_vcpu', f.vcpus, 'gpu_slice', f.gpu_slices)
    FROM flavors f WHERE f.id = i.flavor_id);
END $$;
CREATE FUNCTION billed(i instances) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT CASE WHEN i.launched_at IS NOT NULL AND i.status <> 'deleting' THEN jsonb_build_object('block_storage', f.disk_gb) ELSE '{}' END
      || CASE WHEN i.status IN ('active', 'paused', 'rebooting', 'rebuilding')
        THEN jsonb_build_object('compute_memory', f.ram_gb, 'compute_vcpu', f.vcpus, 'gpu_slice', f.gpu_slices) ELSE '{}' END
    FROM flavors f WHERE f.id = i.flavor_id);
END $$;
CREATE TRIGGER instances_metered AFTER INSERT OR UPDATE OR DELETE ON "instances" FOR EACH ROW
  EXECUTE FUNCTION resource_moved('instance', '{compute_memory,compute_vcpu,gpu_slice}');

-- A volume that grows is billed at its old size until it has grown.
CREATE FUNCTION size(v volumes) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT jsonb_build_object('block_storage', v.size_gb) $$;
CREATE FUNCTION billed(v volumes) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN v.status IN ('creating', 'deleting', 'error') THEN '{}'
    ELSE jsonb_build_object('block_storage', CASE WHEN v.status <> 'resizing' THEN v.size_gb END) END
$$;
CREATE TRIGGER volumes_metered AFTER INSERT OR UPDATE OR DELETE ON "volumes" FOR EACH ROW EXECUTE FUNCTION resource_moved('volume');

CREATE FUNCTION size(s snapshots) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT jsonb_build_object('block_storage', s.size_gb) $$;
CREATE FUNCTION billed(s snapshots) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE s.status WHEN 'available' THEN jsonb_build_object('block_storage', s.size_gb) ELSE '{}' END
$$;
CREATE TRIGGER snapshots_metered AFTER INSERT OR UPDATE OR DELETE ON "snapshots" FOR EACH ROW EXECUTE FUNCTION resource_moved('snapshot');

-- Public images have no project.
CREATE FUNCTION size(i images) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('image_storage', coalesce(i.size_bytes, 0))
$$;
CREATE FUNCTION billed(i images) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE i.status WHEN 'active' THEN jsonb_build_object('image_storage', coalesce(i.size_bytes, 0)) ELSE '{}' END
$$;
CREATE TRIGGER images_metered AFTER INSERT OR UPDATE OR DELETE ON "images" FOR EACH ROW EXECUTE FUNCTION resource_moved('image');
