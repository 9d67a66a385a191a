-- AlterTable
ALTER TABLE "memberships" ADD COLUMN     "acceptance_code_hash" BYTEA,
ADD COLUMN     "acceptance_expires_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "email_verified_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "account_mails" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "project_id" UUID,
    "code" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_mails_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_links" (
    "token_hash" BYTEA NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_links_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE INDEX "account_mails_email_created_at_idx" ON "account_mails"("email", "created_at");

-- CreateIndex
CREATE INDEX "account_mails_created_at_idx" ON "account_mails"("created_at");

-- CreateIndex
CREATE INDEX "account_links_user_id_idx" ON "account_links"("user_id");

-- AddForeignKey
ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Only an invitation has a code, and a code always has an end. Invitations of before have none: their inviter makes a new one.
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_acceptance_check" CHECK (
  (acceptance_code_hash IS NULL) = (acceptance_expires_at IS NULL)
  AND (status = 'invited' OR acceptance_code_hash IS NULL));

ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_kind_check" CHECK (kind IN ('invitation', 'password_reset'));
ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_project_check"
  CHECK ((kind = 'invitation') = (project_id IS NOT NULL) AND (kind = 'invitation' OR code IS NULL));
ALTER TABLE "account_mails" ADD CONSTRAINT "account_mails_email_check" CHECK (email = lower(email));
