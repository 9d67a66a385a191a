-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "administrator" BOOLEAN NOT NULL DEFAULT false,
    "totp_secret" BYTEA,
    "totp_activated_at" TIMESTAMPTZ(3),
    "totp_last_step" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recovery_codes" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "project_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("project_id","user_id")
);

-- CreateTable
CREATE TABLE "role_assignments" (
    "project_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "role_assignments_pkey" PRIMARY KEY ("project_id","user_id","role")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "realm" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "identity_providers" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "jwks_uri" TEXT,
    "conditions" JSONB NOT NULL,
    "max_role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_providers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signin_failures" (
    "key" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "signin_failures_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "operations" (
    "id" UUID NOT NULL,
    "project_id" UUID,
    "kind" TEXT NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "stage" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "input" JSONB NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "host_id" TEXT,
    "run_at" TIMESTAMPTZ(3) NOT NULL,
    "lease_owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,
    "error" TEXT,
    "request_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "operations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operation_logs" (
    "id" UUID NOT NULL,
    "operation_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "level" TEXT NOT NULL,
    "stage" TEXT NOT NULL,
    "message" TEXT NOT NULL,

    CONSTRAINT "operation_logs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "engine_reports" (
    "host_id" TEXT NOT NULL,
    "engine" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "details" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "engine_reports_pkey" PRIMARY KEY ("host_id","engine")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" UUID NOT NULL,
    "project_id" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT,
    "actor_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "resource_type" TEXT,
    "resource_id" TEXT,
    "resource_name" TEXT,
    "result" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "code" TEXT,
    "address" TEXT,
    "request_id" TEXT,
    "details" JSONB,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_records" (
    "id" BYTEA NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "status" INTEGER,
    "answer" BYTEA,
    "sealed" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_records_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "changes" (
    "id" BIGSERIAL NOT NULL,
    "xid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "project_id" UUID,
    "topic" TEXT NOT NULL,
    "resource_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "projects" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project_accounts" (
    "project_id" UUID NOT NULL,
    "vcpus_limit" DECIMAL(20,6) NOT NULL DEFAULT 64,
    "vcpus_used" DECIMAL(20,6) NOT NULL DEFAULT 0,
    "ram_gb_limit" DECIMAL(20,6) NOT NULL DEFAULT 256,
    "ram_gb_used" DECIMAL(20,6) NOT NULL DEFAULT 0,
    "storage_tb_limit" DECIMAL(20,6) NOT NULL DEFAULT 5,
    "storage_tb_used" DECIMAL(20,6) NOT NULL DEFAULT 0,
    "instances_limit" DECIMAL(20,6) NOT NULL DEFAULT 10,
    "instances_used" DECIMAL(20,6) NOT NULL DEFAULT 0,
    "volumes_limit" DECIMAL(20,6) NOT NULL DEFAULT 10,
    "volumes_used" DECIMAL(20,6) NOT NULL DEFAULT 0,
    "databases_limit" DECIMAL(20,6) NOT NULL DEFAULT 10,
    "databases_used" DECIMAL(20,6) NOT NULL DEFAULT 0,
    "serverless_functions_limit" DECIMAL(20,6) NOT NULL DEFAULT 20,
    "serverless_functions_used" DECIMAL(20,6) NOT NULL DEFAULT 0,
    "airflow_dags_limit" DECIMAL(20,6) NOT NULL DEFAULT 10,
    "airflow_dags_used" DECIMAL(20,6) NOT NULL DEFAULT 0,
    "api_gateways_limit" DECIMAL(20,6) NOT NULL DEFAULT 15,
    "api_gateways_used" DECIMAL(20,6) NOT NULL DEFAULT 0,
    "limits_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "project_accounts_pkey" PRIMARY KEY ("project_id")
);

-- CreateTable
CREATE TABLE "quota_ledger" (
    "project_id" UUID NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "dimension" TEXT NOT NULL,
    "amount" DECIMAL(20,6) NOT NULL,

    CONSTRAINT "quota_ledger_pkey" PRIMARY KEY ("resource_id","dimension")
);

-- CreateTable
CREATE TABLE "secrets" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "payload_encoding" TEXT NOT NULL,
    "ciphertext" BYTEA NOT NULL,
    "sealed_data_key" BYTEA NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "certificate" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "secrets_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "recovery_codes_user_id_code_hash_key" ON "recovery_codes"("user_id", "code_hash");

-- CreateIndex
CREATE INDEX "memberships_user_id_created_at_idx" ON "memberships"("user_id", "created_at");

-- CreateIndex
CREATE INDEX "sessions_user_id_expires_at_idx" ON "sessions"("user_id", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_token_hash_key" ON "api_tokens"("token_hash");

-- CreateIndex
CREATE INDEX "api_tokens_project_id_id_idx" ON "api_tokens"("project_id", "id");

-- CreateIndex
CREATE INDEX "identity_providers_project_id_issuer_idx" ON "identity_providers"("project_id", "issuer");

-- CreateIndex
CREATE UNIQUE INDEX "identity_providers_project_id_name_key" ON "identity_providers"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "identity_providers_project_id_id_key" ON "identity_providers"("project_id", "id");

-- CreateIndex
CREATE INDEX "signin_failures_window_start_idx" ON "signin_failures"("window_start");

-- CreateIndex
CREATE INDEX "operations_resource_id_id_idx" ON "operations"("resource_id", "id");

-- CreateIndex
CREATE INDEX "operations_project_id_id_idx" ON "operations"("project_id", "id");

-- CreateIndex
CREATE INDEX "operations_status_id_idx" ON "operations"("status", "id");

-- CreateIndex
CREATE INDEX "operation_logs_operation_id_id_idx" ON "operation_logs"("operation_id", "id");

-- CreateIndex
CREATE INDEX "audit_entries_project_id_id_idx" ON "audit_entries"("project_id", "id");

-- CreateIndex
CREATE INDEX "audit_entries_resource_id_id_idx" ON "audit_entries"("resource_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_records_expires_at_idx" ON "idempotency_records"("expires_at");

-- CreateIndex
CREATE INDEX "changes_xid_idx" ON "changes"("xid");

-- CreateIndex
CREATE UNIQUE INDEX "projects_slug_key" ON "projects"("slug");

-- CreateIndex
CREATE INDEX "projects_name_id_idx" ON "projects"("name", "id");

-- CreateIndex
CREATE INDEX "quota_ledger_project_id_dimension_idx" ON "quota_ledger"("project_id", "dimension");

-- CreateIndex
CREATE UNIQUE INDEX "secrets_project_id_name_key" ON "secrets"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "secrets_project_id_id_key" ON "secrets"("project_id", "id");

-- AddForeignKey
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_project_id_user_id_fkey" FOREIGN KEY ("project_id", "user_id") REFERENCES "memberships"("project_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_project_id_user_id_fkey" FOREIGN KEY ("project_id", "user_id") REFERENCES "memberships"("project_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operation_logs" ADD CONSTRAINT "operation_logs_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_accounts" ADD CONSTRAINT "project_accounts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "quota_ledger" ADD CONSTRAINT "quota_ledger_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "project_accounts"("project_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "secrets" ADD CONSTRAINT "secrets_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The only clock of money, leases and expiry: now() is fixed before a lock wait, and replicas' clocks differ.
CREATE FUNCTION platform_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS 'SELECT clock_timestamp()';

-- What the code promises, refused by the database too.
ALTER TABLE "projects" ADD CONSTRAINT "projects_status_check" CHECK (status IN ('active', 'suspended'));
ALTER TABLE "users" ADD CONSTRAINT "users_email_check" CHECK (email = lower(email));
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_status_check" CHECK (status IN ('invited', 'active'));
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_role_check" CHECK (role IN ('admin', 'member', 'reader'));
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_role_check" CHECK (role IN ('admin', 'member', 'reader'));
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_role_check" CHECK (max_role IN ('admin', 'member', 'reader'));
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_realm_check" CHECK (realm IN ('tenant', 'backoffice'));
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_kind_check" CHECK (kind IN ('browser', 'access_token'));
ALTER TABLE "operations" ADD CONSTRAINT "operations_status_check" CHECK (status IN ('pending', 'running', 'succeeded', 'failed', 'cancelled'));
ALTER TABLE "project_accounts" ADD CONSTRAINT "project_accounts_check" CHECK (
  vcpus_limit >= 0 AND vcpus_used >= 0 AND ram_gb_limit >= 0 AND ram_gb_used >= 0 AND storage_tb_limit >= 0 AND storage_tb_used >= 0
  AND instances_limit >= 0 AND instances_used >= 0 AND volumes_limit >= 0 AND volumes_used >= 0
  AND databases_limit >= 0 AND databases_used >= 0 AND serverless_functions_limit >= 0 AND serverless_functions_used >= 0
  AND airflow_dags_limit >= 0 AND airflow_dags_used >= 0 AND api_gateways_limit >= 0 AND api_gateways_used >= 0);

-- What a worker looks for: few rows, whatever the history holds.
CREATE INDEX "operations_due_idx" ON "operations" (run_at) WHERE status IN ('pending', 'running');

-- Rows that are written on every change stay in the page they are on.
ALTER TABLE "project_accounts" SET (fillfactor = 50);
ALTER TABLE "operations" SET (fillfactor = 70);
