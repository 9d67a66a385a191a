-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "session_epoch" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "tokens_from_epoch" INTEGER NOT NULL DEFAULT 1;
