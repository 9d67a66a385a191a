-- Consoles that are open now are bound to no credential: they end, and are opened again within a minute.
DELETE FROM "console_sessions";

-- AlterTable
ALTER TABLE "console_sessions" ADD COLUMN     "provider_id" UUID,
ADD COLUMN     "session_epoch" INTEGER,
ADD COLUMN     "session_id" UUID,
ADD COLUMN     "token_id" UUID;

-- CreateIndex
CREATE INDEX "console_sessions_session_id_idx" ON "console_sessions"("session_id");

-- CreateIndex
CREATE INDEX "console_sessions_token_id_idx" ON "console_sessions"("token_id");

-- CreateIndex
CREATE INDEX "console_sessions_provider_id_idx" ON "console_sessions"("provider_id");

-- AddForeignKey
ALTER TABLE "console_sessions" ADD CONSTRAINT "console_sessions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "console_sessions" ADD CONSTRAINT "console_sessions_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "console_sessions" ADD CONSTRAINT "console_sessions_provider_id_fkey" FOREIGN KEY ("provider_id") REFERENCES "identity_providers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Each is bound to exactly one credential, and to the epoch of its session.
ALTER TABLE "console_sessions"
  ADD CONSTRAINT "console_sessions_credential" CHECK (num_nonnulls("session_id", "token_id", "provider_id") = 1),
  ADD CONSTRAINT "console_sessions_epoch" CHECK (("session_id" IS NULL) = ("session_epoch" IS NULL));
