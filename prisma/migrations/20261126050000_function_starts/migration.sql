-- CreateTable
CREATE TABLE "function_starts" (
    "id" UUID NOT NULL,
    "cell_id" TEXT NOT NULL,
    "pool_id" UUID NOT NULL,
    "ids" UUID[],
    "starts" JSONB NOT NULL,
    "is_counted" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "function_starts_pkey" PRIMARY KEY ("id")
);

-- Rows live for a moment: compressing them, or moving parts of them elsewhere, would cost more than it saves.
ALTER TABLE "function_starts" SET (toast_tuple_target = 8160);
