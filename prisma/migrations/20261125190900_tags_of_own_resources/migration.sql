-- Tags refer to resources of many tables, which no foreign key can. The database refuses a tag of a resource that does not
-- exist in its project, whoever writes it. Every table of resources has the trigger that removes their tags, and is found by it.
CREATE FUNCTION resource_tags_owned() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owned text;
  stray uuid;
BEGIN
  SELECT string_agg(format('EXISTS (SELECT FROM %s r WHERE r.id = t.resource_id AND r.project_id = t.project_id)', tgrelid::regclass), ' OR ')
    INTO owned FROM pg_trigger WHERE tgfoid = 'resource_untagged'::regproc;
  EXECUTE format('SELECT t.resource_id FROM written t WHERE NOT (%s) LIMIT 1', owned) INTO stray;
  IF stray IS NOT NULL THEN
    RAISE foreign_key_violation USING MESSAGE = format('resource %s does not exist in the project of its tag', stray),
      CONSTRAINT = 'resource_tags_owned', TABLE = 'resource_tags';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER resource_tags_inserted AFTER INSERT ON "resource_tags" REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION resource_tags_owned();
CREATE TRIGGER resource_tags_changed AFTER UPDATE ON "resource_tags" REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION resource_tags_owned();
