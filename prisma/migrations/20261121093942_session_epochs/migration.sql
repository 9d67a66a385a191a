-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "epoch" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "session_epoch" INTEGER NOT NULL DEFAULT 1;

-- DropIndex
DROP INDEX "signin_failures_window_start_idx";

-- AlterTable
ALTER TABLE "signin_failures" DROP COLUMN "failures",
DROP COLUMN "window_start",
ADD COLUMN     "failed_at" TIMESTAMPTZ(3)[],
ADD COLUMN     "last_at" TIMESTAMPTZ(3) NOT NULL;

-- CreateIndex
CREATE INDEX "signin_failures_last_at_idx" ON "signin_failures"("last_at");
