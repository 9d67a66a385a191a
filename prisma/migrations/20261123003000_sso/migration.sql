-- CreateTable
CREATE TABLE "oidc_clients" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "auth_method" TEXT NOT NULL,
    "redirect_uris" TEXT[],
    "post_logout_redirect_uris" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oidc_clients_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oidc_records" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "uid_hash" BYTEA,
    "grant_hash" BYTEA,
    "payload" BYTEA NOT NULL,
    "project_id" UUID,
    "client_id" UUID,
    "role_rank" INTEGER,
    "session_epoch" INTEGER,
    "user_id" UUID,
    "session_id" UUID,
    "consumed_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oidc_records_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oidc_keys" (
    "id" UUID NOT NULL,
    "private_jwk" BYTEA NOT NULL,
    "signs_from" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oidc_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "oidc_clients_project_id_name_key" ON "oidc_clients"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "oidc_clients_project_id_id_key" ON "oidc_clients"("project_id", "id");

-- CreateIndex
CREATE INDEX "oidc_records_grant_hash_idx" ON "oidc_records"("grant_hash");

-- CreateIndex
CREATE INDEX "oidc_records_uid_hash_idx" ON "oidc_records"("uid_hash");

-- CreateIndex
CREATE INDEX "oidc_records_project_id_user_id_idx" ON "oidc_records"("project_id", "user_id");

-- CreateIndex
CREATE INDEX "oidc_records_project_id_client_id_idx" ON "oidc_records"("project_id", "client_id");

-- CreateIndex
CREATE INDEX "oidc_records_session_id_idx" ON "oidc_records"("session_id");

-- CreateIndex
CREATE INDEX "oidc_records_expires_at_idx" ON "oidc_records"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "oidc_records_kind_key_hash_key" ON "oidc_records"("kind", "key_hash");

-- AddForeignKey
ALTER TABLE "oidc_clients" ADD CONSTRAINT "oidc_clients_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oidc_records" ADD CONSTRAINT "oidc_records_project_id_client_id_fkey" FOREIGN KEY ("project_id", "client_id") REFERENCES "oidc_clients"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oidc_records" ADD CONSTRAINT "oidc_records_project_id_user_id_fkey" FOREIGN KEY ("project_id", "user_id") REFERENCES "memberships"("project_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oidc_records" ADD CONSTRAINT "oidc_records_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE oidc_clients
  ALTER redirect_uris SET NOT NULL,
  ALTER post_logout_redirect_uris SET NOT NULL,
  ADD CHECK (auth_method IN ('client_secret_basic', 'client_secret_post')),
  ADD CHECK (cardinality(redirect_uris) BETWEEN 1 AND 20),
  ADD CHECK (cardinality(post_logout_redirect_uris) <= 20);

-- A code or token knows its project, client and person, or none of them.
ALTER TABLE oidc_records
  ADD CHECK ((project_id IS NULL) = (client_id IS NULL)),
  ADD CHECK (client_id IS NULL OR (user_id IS NOT NULL AND session_epoch IS NOT NULL));

CREATE FUNCTION oidc_clients_held(of_project uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT count(*) FROM oidc_clients WHERE project_id = of_project);
END $$;
