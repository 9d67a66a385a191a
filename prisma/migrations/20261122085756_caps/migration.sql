-- How many there are of what counts in no quota. PL/pgSQL and volatile, so that each call sees what was committed before
-- it: the statement around it has waited for the project's row and began to look earlier.
CREATE FUNCTION secrets_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM secrets WHERE project_id = of_project);
END $$;

CREATE FUNCTION key_pairs_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM key_pairs WHERE project_id = of_project);
END $$;

CREATE FUNCTION users_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM memberships WHERE project_id = of_project);
END $$;

CREATE FUNCTION open_invitations_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM memberships WHERE project_id = of_project AND status = 'invited');
END $$;

-- Revoked tokens stay as rows; expired ones need not be revoked to make room.
CREATE INDEX "api_tokens_unrevoked_idx" ON "api_tokens" ("project_id", "user_id") WHERE "revoked_at" IS NULL;

CREATE FUNCTION valid_tokens_held(of_project uuid, of_user uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM api_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.project_id = of_project AND t.user_id = of_user AND t.revoked_at IS NULL
    AND t.session_epoch >= u.tokens_from_epoch AND (t.expires_at IS NULL OR t.expires_at > platform_now()));
END $$;
