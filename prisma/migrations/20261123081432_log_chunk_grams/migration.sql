-- AlterTable
ALTER TABLE "log_chunks" ADD COLUMN     "grams" BYTEA;

-- Beside the other columns, never in the TOAST table: a search reads it for every chunk of its time range.
ALTER TABLE "log_chunks" ALTER COLUMN "grams" SET STORAGE PLAIN;
