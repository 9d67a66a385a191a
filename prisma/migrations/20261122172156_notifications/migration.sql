-- CreateTable
CREATE TABLE "notifications" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "project_id" UUID,
    "kind" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "resource_name" TEXT,
    "facts" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "read_at" TIMESTAMPTZ(3),

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notification_preferences" (
    "user_id" UUID NOT NULL,
    "muted" TEXT[],

    CONSTRAINT "notification_preferences_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "notifications_user_id_created_at_id_idx" ON "notifications"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "notifications_project_id_user_id_idx" ON "notifications"("project_id", "user_id");

-- CreateIndex
CREATE INDEX "notifications_created_at_idx" ON "notifications"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "notifications_user_id_source_key" ON "notifications"("user_id", "source");

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_project_id_user_id_fkey" FOREIGN KEY ("project_id", "user_id") REFERENCES "memberships"("project_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "notifications_unread_idx" ON "notifications" (user_id) WHERE read_at IS NULL;
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_kind_check"
  CHECK (kind IN ('budget_threshold', 'operation_failed', 'certificate_ending', 'invitation', 'incident'));

-- Notifies each of these people once of a cause, with a hint for their open pages. Triggers call it in the transaction of the
-- cause, so that neither is there without the other.
CREATE FUNCTION notify_people(people uuid[], of_project uuid, of_kind text, cause text, type text, id uuid, name text, facts jsonb)
RETURNS void LANGUAGE sql AS $$
  WITH made AS (
    INSERT INTO notifications AS n (id, user_id, project_id, kind, source, resource_type, resource_id, resource_name, facts, created_at)
    SELECT gen_random_uuid(), person, of_project, of_kind, cause, type, notify_people.id, name, notify_people.facts, platform_now()
    FROM unnest(people) AS person
    WHERE NOT EXISTS (SELECT FROM notification_preferences p WHERE p.user_id = person AND of_kind = ANY (p.muted))
    ON CONFLICT (user_id, source) DO NOTHING RETURNING n.user_id)
  INSERT INTO changes (topic, resource_id, at) SELECT 'notification', made.user_id::text, platform_now() FROM made
$$;

-- The active members of a project that have one of these roles.
CREATE FUNCTION members_with(project uuid, roles text[]) RETURNS uuid[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(DISTINCT m.user_id ORDER BY m.user_id), '{}') FROM memberships m
  JOIN role_assignments r ON r.project_id = m.project_id AND r.user_id = m.user_id
  WHERE m.project_id = project AND m.status = 'active' AND r.role = ANY (roles)
$$;

CREATE FUNCTION notify_of_threshold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_people(members_with(NEW.project_id, '{admin,member,reader}'), NEW.project_id, 'budget_threshold', 'budget_alert:' || NEW.id,
    'budget', NEW.project_id, NULL, jsonb_build_object('month', to_char(NEW.month, 'YYYY-MM'), 'threshold_percent', NEW.threshold,
      'limit_usd', trim_scale(NEW.limit_usd)::text, 'frozen', NEW.frozen));
  RETURN NULL;
END $$;
CREATE TRIGGER budget_alerts_notify AFTER INSERT ON "budget_alerts" FOR EACH ROW EXECUTE FUNCTION notify_of_threshold();

CREATE FUNCTION notify_of_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_people(members_with(NEW.project_id, '{admin,member}'), NEW.project_id, 'operation_failed',
    'operation:' || NEW.id || ':' || coalesce(extract(epoch FROM NEW.finished_at)::text, ''), NEW.resource_type, NEW.resource_id,
    (SELECT a.resource_name FROM audit_entries a WHERE a.resource_id = NEW.resource_id::text AND a.resource_name IS NOT NULL
     ORDER BY a.id DESC LIMIT 1),
    jsonb_build_object('operation', NEW.kind, 'reason', NEW.error));
  RETURN NULL;
END $$;
-- A part of a larger operation fails that one, which tells.
CREATE TRIGGER operations_notify AFTER UPDATE OF status ON "operations" FOR EACH ROW
  WHEN (NEW.status = 'failed' AND OLD.status <> 'failed' AND NEW.project_id IS NOT NULL AND NEW.parent_id IS NULL)
  EXECUTE FUNCTION notify_of_failure();

CREATE FUNCTION notify_of_incident() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_people(ARRAY(SELECT id FROM users WHERE administrator ORDER BY id), NULL, 'incident', 'incident:' || NEW.id, NEW.resource_type,
    NEW.resource_id, NULL, jsonb_build_object('reason', NEW.reason, 'tenant_id', NEW.project_id));
  RETURN NULL;
END $$;
CREATE TRIGGER incidents_notify AFTER INSERT ON "incidents" FOR EACH ROW EXECUTE FUNCTION notify_of_incident();

CREATE FUNCTION notify_of_invitation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM notify_people(ARRAY[NEW.user_id], NEW.project_id, 'invitation', 'invitation:' || NEW.project_id, 'project', NEW.project_id,
    (SELECT p.name FROM projects p WHERE p.id = NEW.project_id), jsonb_build_object('invited_by', NEW.invited_by));
  RETURN NULL;
END $$;
CREATE TRIGGER memberships_notify AFTER INSERT ON "memberships" FOR EACH ROW WHEN (NEW.status = 'invited')
  EXECUTE FUNCTION notify_of_invitation();
