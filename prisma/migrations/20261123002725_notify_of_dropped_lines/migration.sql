ALTER TABLE "notifications" DROP CONSTRAINT "notifications_kind_check";
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_kind_check"
  CHECK (kind IN ('budget_threshold', 'operation_failed', 'certificate_ending', 'log_lines_dropped', 'invitation', 'incident'));

-- Once a day for each project. The log has a line for each time, with the reason.
CREATE FUNCTION notify_of_dropped_lines() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE day text := to_char(platform_now() AT TIME ZONE 'UTC', 'YYYY-MM-DD');
BEGIN
  PERFORM notify_people(members_with(NEW.project_id, '{admin,member}'), NEW.project_id, 'log_lines_dropped',
    'log_lines_dropped:' || NEW.project_id || ':' || day, 'project', NEW.project_id, NULL, jsonb_build_object('day', day));
  RETURN NULL;
END $$;
CREATE TRIGGER log_usage_notify_insert AFTER INSERT ON "log_usage" FOR EACH ROW WHEN (NEW.dropped_lines > 0)
  EXECUTE FUNCTION notify_of_dropped_lines();
CREATE TRIGGER log_usage_notify_update AFTER UPDATE OF dropped_lines ON "log_usage" FOR EACH ROW
  WHEN (NEW.dropped_lines > OLD.dropped_lines) EXECUTE FUNCTION notify_of_dropped_lines();
