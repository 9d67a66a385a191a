-- AlterTable
ALTER TABLE "memberships" ADD COLUMN     "invited_by" TEXT,
ADD COLUMN     "invited_name" TEXT;

-- CreateIndex
CREATE INDEX "memberships_project_id_created_at_user_id_idx" ON "memberships"("project_id", "created_at", "user_id");

ALTER TABLE "memberships" ADD CONSTRAINT "memberships_invitation_check"
  CHECK (status = 'invited' OR (invited_name IS NULL AND invited_by IS NULL));

-- What a person is in a project, and how many other admins it has. Volatile, so that a statement which has locked the
-- project's row sees what was committed while it waited: two admins who remove each other cannot both succeed.
CREATE FUNCTION present_membership(of_project uuid, of_person uuid)
RETURNS TABLE (status text, roles text[], other_admins integer) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY
  SELECT m.status,
    ARRAY(SELECT r.role FROM role_assignments r WHERE r.project_id = of_project AND r.user_id = of_person),
    (SELECT count(*)::integer FROM role_assignments r
     JOIN memberships o ON o.project_id = r.project_id AND o.user_id = r.user_id AND o.status = 'active'
     WHERE r.project_id = of_project AND r.role = 'admin' AND r.user_id <> of_person)
  FROM memberships m WHERE m.project_id = of_project AND m.user_id = of_person;
END $$;

-- Takes a role away, or all of them. Nobody belongs to a project without a role, so the last one ends the membership,
-- and with it go the person's tokens there. A function for the same reason. Says whether the membership ended, and
-- with how many tokens.
CREATE FUNCTION revoke_roles(of_project uuid, of_person uuid, revoked text, moment timestamptz)
RETURNS TABLE (ended boolean, tokens integer) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM role_assignments r
  WHERE r.project_id = of_project AND r.user_id = of_person AND (revoked IS NULL OR r.role = revoked);
  UPDATE memberships m SET updated_at = moment WHERE m.project_id = of_project AND m.user_id = of_person;
  ended := NOT EXISTS (SELECT FROM role_assignments r WHERE r.project_id = of_project AND r.user_id = of_person);
  tokens := 0;
  IF ended THEN
    SELECT count(*) INTO tokens FROM api_tokens t
    WHERE t.project_id = of_project AND t.user_id = of_person AND t.revoked_at IS NULL;
    DELETE FROM memberships m WHERE m.project_id = of_project AND m.user_id = of_person;
  END IF;
  RETURN NEXT;
END $$;
