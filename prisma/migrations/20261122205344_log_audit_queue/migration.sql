-- CreateTable
CREATE TABLE "log_audit_queue" (
    "entry_id" UUID NOT NULL,

    CONSTRAINT "log_audit_queue_pkey" PRIMARY KEY ("entry_id")
);

CREATE FUNCTION queue_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log_audit_queue (entry_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER audit_entries_to_log AFTER INSERT ON audit_entries FOR EACH ROW WHEN (NEW.project_id IS NOT NULL)
  EXECUTE FUNCTION queue_audit_entry();
-- Entries of the time for which the log is kept by default.
INSERT INTO log_audit_queue SELECT id FROM audit_entries WHERE project_id IS NOT NULL AND at > now() - interval '30 days';
