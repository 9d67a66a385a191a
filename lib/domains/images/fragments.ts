import { raw, type Sql } from '@/lib/core/db/sql';

// What others read of the table of images, in statements of their own.

/** An image as instances show it, as an expression of type jsonb. @param id an SQL expression */
export const shownImage = (id: string): Sql =>
  raw(
    `(SELECT jsonb_build_object('id', m.id, 'name', m.name, 'default_user', m.default_user) FROM images m WHERE m.id = ${id})`,
  );
