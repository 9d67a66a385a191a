-- An operation says where it runs: in the cell whose engines it touches, or anywhere, as work of the platform.
ALTER TABLE "operations" ADD COLUMN "scope" TEXT;

-- Work on machines that named no cell belongs to the only one that there could have been.
UPDATE "operations" SET cell_id = (SELECT id FROM cells ORDER BY seen_at DESC LIMIT 1)
WHERE cell_id IS NULL AND resource_type IN ('instance', 'volume', 'snapshot', 'image');
UPDATE "operations" SET scope = CASE WHEN cell_id IS NULL THEN 'platform' ELSE 'cell' END;

ALTER TABLE "operations" ALTER COLUMN "scope" SET NOT NULL;
ALTER TABLE "operations" ADD CONSTRAINT "operations_scope_check" CHECK
  (scope IN ('cell', 'platform') AND (scope = 'cell') = (cell_id IS NOT NULL));

-- A tenant's image is in the cell that took the upload, so that its deletion finds it there. One that does not say which
-- was taken by the only cell that there could have been.
UPDATE "images" SET source = source || jsonb_build_object('cell_id', (SELECT id FROM cells ORDER BY seen_at DESC LIMIT 1))
WHERE project_id IS NOT NULL AND source ->> 'cell_id' IS NULL AND EXISTS (SELECT FROM cells);
ALTER TABLE "images" ADD CONSTRAINT "images_cell_check" CHECK (project_id IS NULL OR source ->> 'cell_id' IS NOT NULL);
